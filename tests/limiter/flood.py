"""One agent that posts as fast as it can over many connections, and records every answer and its time."""

import asyncio
import itertools
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import aiohttp

from tests.load import Member
from tests.posts.locks import until


@dataclass
class Attempt:
    """An answer to a post, and when the post was sent and answered, in Unix seconds."""

    sent: float
    received: float
    status: int
    created: float | None
    detail: str | None = None


class Flood:
    """Posters of one agent on several processes. After a refusal a poster waits briefly, and ignores Retry-After."""

    def __init__(self, urls: Sequence[str], member: Member, posters: int = 200) -> None:
        self.urls = itertools.cycle(urls)
        self.member = member
        self.posters = posters
        self.attempts: list[Attempt] = []
        self.statuses: Counter[int] = Counter()
        self.enough = False

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=60)
        self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), timeout=timeout)
        self.tasks = [asyncio.create_task(self.post(next(self.urls))) for _ in range(self.posters)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.enough = True
        await asyncio.gather(*self.tasks)
        await self.session.close()

    async def post(self, url: str) -> None:
        headers = {"Authorization": f"Bearer {self.member.token}", "Content-Type": "application/json"}
        body = json.dumps({"title": "t", "body": "b"})
        while not self.enough:
            sent = time.time()
            async with self.session.post(f"{url}/api/threads", data=body, headers=headers) as answer:
                content = await answer.json(content_type=None)
            attempt = Attempt(sent, time.time(), answer.status, content.get("created"), content.get("detail"))
            self.attempts.append(attempt)
            self.statuses[answer.status] += 1
            await asyncio.sleep(0.05)

    async def published(self, count: int) -> None:
        """Return when this many more posts have been published."""
        goal = self.statuses[201] + count

        async def reached() -> bool:
            for task in self.tasks:
                if task.done():
                    task.result()
            return self.statuses[201] >= goal

        await until(reached)

    def check(self, created: Sequence[float], quota: int, window: float) -> None:
        """Compare all answers with the ascending times of the posts in PostgreSQL, in Unix seconds."""
        others = [attempt for attempt in self.attempts if attempt.status not in (201, 429)]
        assert not others, others[:5]
        assert set(self.statuses) == {201, 429}
        assert sorted(attempt.created for attempt in self.attempts if attempt.created) == list(created)
        # it should never publish more than the quota in any window
        gaps = [later - earlier for earlier, later in zip(created, created[quota:], strict=False)]
        assert all(round(gap, 6) >= window for gap in gaps), min(gaps)
        # it should refuse only at moments when the quota was used up, by posts that were at least on their way
        sent = {attempt.created: attempt.sent for attempt in self.attempts if attempt.created}
        full = [(sent[created[n + quota - 1]], created[n] + window) for n in range(len(created) - quota + 1)]
        for attempt in self.attempts:
            if attempt.status == 429:
                assert any(max(attempt.sent, begin) <= min(attempt.received, end) for begin, end in full), attempt

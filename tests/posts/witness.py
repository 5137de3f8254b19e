"""Agents that write continuously and record the answers; the log must agree with every answer."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import asyncpg

from tests.load import Client, Member
from tests.posts.locks import until
from tests.web import Answer

APPLIED = "post-public;scope=public;reversible=?0;applied"
REFUSED = APPLIED + "=?0"
UNKNOWN = "post-public;scope=public;reversible=?0"
ATTEMPTS = 300


@dataclass
class Sent:
    """A thread that was sent, with all answers to it."""

    title: str
    key: str | None
    answers: list[Answer] = field(default_factory=list)


class Witness:
    """Lets `at_once` members at a time write ten threads each, half of them with a key, over all clients in turn."""

    def __init__(self, clients: Sequence[Client], members: Sequence[Member], at_once: int = 16) -> None:
        self.clients = clients
        self.members = list(members)
        self.at_once = at_once
        self.sent: list[Sent] = []
        self.statuses: Counter[int] = Counter()
        self.enough = asyncio.Event()

    async def __aenter__(self) -> "Witness":
        self.tasks = [asyncio.create_task(self.write(n)) for n in range(self.at_once)]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.enough.set()
        await asyncio.gather(*self.tasks)

    async def progress(self, count: int) -> None:
        """Return when this many more posts have been created."""
        await self.answered(201, count)

    async def refusals(self, count: int) -> None:
        """Return when this many more have been refused."""
        await self.answered(503, count)

    async def answered(self, status: int, count: int) -> None:
        goal = self.statuses[status] + count

        async def reached() -> bool:
            assert not all(task.done() for task in self.tasks), "the members have written all that they may"
            return self.statuses[status] >= goal

        await until(reached)

    async def write(self, number: int) -> None:
        while self.members and not self.enough.is_set():
            member = self.members.pop()
            for n in range(10):
                if not self.enough.is_set():
                    await self.send(self.clients[(number + n) % len(self.clients)], member, n)

    async def send(self, client: Client, member: Member, n: int) -> None:
        title = f"{member.name} {n}"
        sent = Sent(title, title.replace(" ", "-") if n % 2 else None)
        self.sent.append(sent)
        for _ in range(ATTEMPTS if sent.key else 1):
            answer = await client.thread(member, title, sent.key)
            sent.answers.append(answer)
            self.statuses[answer.status] += 1
            if answer.status == 201:
                return
            # an agent would wait for the time in Retry-After
            await asyncio.sleep(0.1)

    async def check(self, db: asyncpg.Connection) -> None:
        """Compare every answer with the log."""
        logged: dict[str, list[int]] = {}
        for post, title in await db.fetch("SELECT id, title FROM posts ORDER BY id"):
            logged.setdefault(title, []).append(post)
        for sent in self.sent:
            check_answers(sent, logged.get(sent.title, []))
        # it should have left no gap in the log
        ids = [row["id"] for row in await db.fetch("SELECT id FROM posts ORDER BY id")]
        assert ids == list(range(1, len(ids) + 1))


def check_answers(sent: Sent, logged: list[int]) -> None:
    # it should be there at most once
    assert len(logged) <= 1, sent.title
    for answer in sent.answers:
        # it should be created or unavailable, and nothing else
        assert answer.status in (201, 503), answer.content
        if answer.status == 201:
            assert [answer.json["id"]] == logged, f"{sent.title} was answered and is not in the log"
        else:
            assert int(answer.headers["Retry-After"]) >= 1
            assert answer.effect in (REFUSED, UNKNOWN)
    if sent.answers and {answer.effect for answer in sent.answers} == {REFUSED}:
        assert logged == [], f"{sent.title} was refused and is in the log"

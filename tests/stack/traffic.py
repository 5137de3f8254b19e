"""Agents that go on publishing and reading, whatever happens to the stack, and what they know of it afterwards.

A creation that fails is sent again with its key until it is answered. So afterwards each key must stand in the log
once, under the id that was answered, and every event of it in the inbox of an agent that follows.
"""

import asyncio
import secrets
import threading
import time
from collections import Counter
from contextlib import suppress
from typing import Any, Self

import aiohttp

from tests.stack.make import Board

AGENTS = 8
# With the readers well below what the load balancer takes from one address.
PAUSE_SECONDS = 0.7
GIVE_UP_SECONDS = 90
DELIVERY_SECONDS = 60.0


class Traffic:
    """Runs in a thread of its own from `with` to its end."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.mark = f"traffic-{secrets.token_hex(4)}"
        self.published: dict[str, int] = {}
        self.failures: list[str] = []
        self.reads = 0
        self.votes = 0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="traffic")
        self._error: BaseException | None = None
        self._following = threading.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._following.wait(30), self._error
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Let every creation under way be answered, and stop."""
        self._ending.set()
        self._thread.join(GIVE_UP_SECONDS + 30)
        assert not self._thread.is_alive()
        if self._error:
            raise self._error

    def until(self, creations: int, seconds: float = 60) -> None:
        """Wait until so many more creations have been answered."""
        goal, deadline = len(self.published) + creations, time.monotonic() + seconds
        while len(self.published) < goal:
            assert time.monotonic() < deadline, self.failures[-5:]
            assert self._thread.is_alive(), self._error
            time.sleep(0.05)

    def check(self, seconds: float = DELIVERY_SECONDS) -> None:
        """Assert that the log has every creation once, and the follower's inbox all of them, once each, in order.

        The last of them may be delivered so many seconds late.
        """
        self.end()
        rows = self.board.sql(f"SELECT id, title FROM posts WHERE title LIKE '{self.mark}%' ORDER BY id").splitlines()
        log = [(int(number), title) for number, _, title in (row.partition("|") for row in rows)]
        assert {title: number for number, title in log} == self.published
        assert len(log) == len(self.published)
        # it should have given out every number since it began, and none twice
        dense = "count(*) = max(id) - min(id) + 1 AND count(DISTINCT id) = count(*)"
        assert self.board.sql(f"SELECT {dense} FROM posts WHERE id >= {log[0][0]}") == "t"
        asyncio.run(self._check_inbox([number for number, _ in log], seconds))

    def figures(self) -> str:
        """Say what came of it, for the report."""
        calls = self.reads + self.votes + len(self.published) + len(self.failures)
        what = ", ".join(f"{count} x {failure}" for failure, count in Counter(self.failures).items())
        return f"{calls} calls, {len(self.published)} creations, {len(self.failures)} failed ({what or 'none'})"

    async def _run(self) -> None:
        try:
            timeout = aiohttp.ClientTimeout(total=20)
            async with aiohttp.ClientSession(self.board.url, timeout=timeout) as session:
                self._follower = await self._register(session, "follower")
                topic = {"kind": "community", "target": self.mark}
                await self._publish(session, self._follower, self._key())
                await self._send(session, "POST", "/api/subscriptions", self._follower, topic)
                tokens = [await self._register(session, f"agent-{number}") for number in range(AGENTS)]
                self._skipped = set(self.published)
                self._following.set()
                await asyncio.gather(*(self._publishing(session, token) for token in tokens), self._reading(session))
        except BaseException as error:  # noqa: BLE001 - raised again where the test waits
            self._error = error

    def _key(self) -> str:
        return f"{self.mark}-{secrets.token_hex(8)}"

    async def _publishing(self, session: aiohttp.ClientSession, token: str) -> None:
        while not self._ending.is_set():
            number = await self._publish(session, token, self._key())
            # A vote carries no key, so that nobody repeats it on the way.
            vote = await self._try(session, "POST", f"/api/posts/{number}/vote", token, {"value": 1})
            self.votes += vote is not None
            await asyncio.sleep(PAUSE_SECONDS)

    async def _publish(self, session: aiohttp.ClientSession, token: str, key: str) -> int:
        thread = {"title": key, "body": "Nothing lost, nothing twice.", "community": self.mark}
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while (answer := await self._try(session, "POST", "/api/threads", token, thread, key)) is None:
            assert time.monotonic() < deadline, self.failures[-5:]
            await asyncio.sleep(0.5)
        self.published[key] = answer["id"]
        return self.published[key]

    async def _reading(self, session: aiohttp.ClientSession) -> None:
        while not self._ending.is_set():
            self.reads += await self._try(session, "GET", "/api/threads?sort=new&limit=3") is not None
            await asyncio.sleep(0.1)

    async def _try(self, session: aiohttp.ClientSession, method: str, path: str, *how: Any) -> Any:
        """Return the answer, or None for one that an agent has to ask for again; that is counted."""
        try:
            return await self._send(session, method, path, *how)
        except (aiohttp.ClientError, TimeoutError) as error:
            status = getattr(error, "status", "")
            self.failures.append(f"{method} {type(error).__name__} {status}".strip())
            return None

    async def _send(self, session: aiohttp.ClientSession, method: str, path: str, token: str = "",
                    body: Any = None, key: str = "") -> Any:  # fmt: skip
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= {"Idempotency-Key": f'"{key}"'} if key else {}
        async with session.request(method, path, headers=headers, json=body, raise_for_status=True) as answer:
            return await answer.json()

    async def _register(self, session: aiohttp.ClientSession, name: str) -> str:
        body = {"name": f"{name}-{secrets.token_hex(5)}"}
        return str((await self._send(session, "POST", "/api/agents/register", body=body))["token"])

    async def _check_inbox(self, log: list[int], seconds: float) -> None:
        first = {self.published[key] for key in self._skipped}
        due = [number for number in log if number not in first]
        inbox: list[int] = []
        async with aiohttp.ClientSession(self.board.url) as session:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    while len(inbox) < len(due):
                        inbox += await self._events(session, inbox[-1] if inbox else 0)
        assert inbox == due

    async def _events(self, session: aiohttp.ClientSession, after: int) -> list[int]:
        page = await self._send(session, "GET", f"/api/inbox?after={after}&limit=100", self._follower)
        await asyncio.sleep(0.1)
        return [event["id"] for event in page["items"]]

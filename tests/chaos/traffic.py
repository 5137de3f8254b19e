"""Agents that publish through every disturbance, and two readers that follow cursors; every answer is recorded.

Half of the posts have a key and are sent again until they are answered; the others are sent once.
"""

import asyncio
import itertools
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from tests.chaos.callers import Callers, Reply, Unanswered
from tests.load import Member

AGENTS = 8
RETRY_SECONDS = 0.3
GIVE_UP_SECONDS = 120.0
POLLS_PER_PAUSE = 5
POLL_SECONDS = 0.1


@dataclass
class Sent:
    """A thread that was sent, and the content of its answers: ids, or that it certainly was or was not published."""

    title: str
    key: str
    ids: list[int] = field(default_factory=list)
    uncertain: bool = False


class Traffic:
    """Runs from the start to the end of the `async with` block."""

    def __init__(self, callers: Callers, pause: float, agents: int = AGENTS) -> None:
        self.callers = callers
        self.pause = pause
        self.poll = max(POLL_SECONDS, pause / POLLS_PER_PAUSE)
        self.agents = agents
        self.mark = f"chaos-{secrets.token_hex(4)}"
        self.sent: list[Sent] = []
        self.acknowledged: list[float] = []
        self.seen: list[int] = []
        self.inbox: list[int] = []
        self.first = 0
        self.ending = asyncio.Event()
        self.turns = itertools.count()
        self.tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self.follower = await self.register("follower")
        self.first = await self.insist(Sent(f"{self.mark} first", f"{self.mark}-first"), self.follower.token)
        subscription = {"kind": "community", "target": self.mark}
        await self.callers.call("POST", "/api/subscriptions", subscription, token=self.follower.token)
        tokens = [(await self.register(f"agent-{number}")).token for number in range(self.agents)]
        work = [self.follow_log(), self.follow_inbox(), *map(self.publish_on, tokens)]
        self.tasks = [asyncio.create_task(each) for each in work]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait for the answer to every post in flight, and stop."""
        self.ending.set()
        await asyncio.gather(*self.tasks)

    async def register(self, name: str) -> Member:
        """Register an agent. Its number stays unknown."""
        body = {"name": f"{name}-{secrets.token_hex(5)}"}
        reply = await self.callers.call("POST", "/api/agents/register", body)
        assert reply.status == 201, reply.content
        return Member(0, body["name"], reply.json["token"])

    async def publish_on(self, token: str) -> None:
        while not self.ending.is_set():
            number = next(self.turns)
            title = f"{self.mark} {number} {secrets.token_hex(4)}"
            await self.publish(title, token, keyed=number % 2 == 0)
            await asyncio.sleep(self.pause)

    async def publish(self, title: str, token: str, *, keyed: bool) -> None:
        """Publish a thread: with a key, until it is answered; without, in one attempt."""
        sent = Sent(title, title.replace(" ", "-") if keyed else "")
        self.sent.append(sent)
        if keyed:
            await self.insist(sent, token)
        else:
            with suppress(Unanswered):
                await self.attempt(sent, token)

    async def insist(self, sent: Sent, token: str) -> int:
        """Send a thread again until it is answered."""
        async with asyncio.timeout(GIVE_UP_SECONDS):
            while True:
                with suppress(Unanswered):
                    return await self.attempt(sent, token)
                await asyncio.sleep(RETRY_SECONDS)

    async def attempt(self, sent: Sent, token: str) -> int:
        try:
            reply = await self.callers.call("POST", "/api/threads", self.thread(sent), token=token, key=sent.key)
        except Unanswered as failure:
            sent.uncertain |= not failure.unchanged
            raise
        return self.note(sent, reply)

    def thread(self, sent: Sent) -> dict[str, str]:
        """Return the body of a thread."""
        return {"title": sent.title, "body": "Nothing lost, nothing twice.", "community": self.mark}

    def note(self, sent: Sent, reply: Reply) -> int:
        """Record a thread that was answered; return its id."""
        assert reply.status == 201, reply.content
        sent.ids.append(int(reply.json["id"]))
        self.acknowledged.append(time.monotonic())
        return sent.ids[-1]

    async def follow_log(self) -> None:
        """Follow all posts by the cursor of the activity."""
        while not self.ending.is_set():
            await self.read_on("/api/activity", "", self.seen)
            await asyncio.sleep(self.poll)

    async def follow_inbox(self) -> None:
        """Follow the events of the agent that has subscribed."""
        while not self.ending.is_set():
            await self.read_on("/api/inbox", self.follower.token, self.inbox)
            await asyncio.sleep(self.poll)

    async def read_on(self, path: str, token: str, seen: list[int]) -> bool:
        """Append the next page; return whether there may be more."""
        query = f"{path}?after={seen[-1] if seen else self.first}&limit=100"
        try:
            page: Any = (await self.callers.call("GET", query, token=token)).json
        except Unanswered:
            return True
        seen += [item["id"] for item in page["items"]]
        return bool(page["has_more"])

    async def catch_up(self, events: list[int], seconds: float) -> None:
        """Read both streams to their ends. The events may be delivered this many seconds late."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while await self.read_on("/api/activity", "", self.seen):
                    pass
                while len(self.inbox) < len(events):
                    if not await self.read_on("/api/inbox", self.follower.token, self.inbox):
                        await asyncio.sleep(self.poll)

    async def progress(self, count: int, seconds: float = GIVE_UP_SECONDS) -> None:
        """Return when this many more posts were acknowledged. Raises TimeoutError."""
        goal = len(self.acknowledged) + count
        async with asyncio.timeout(seconds):
            while len(self.acknowledged) < goal:
                self.raise_failure()
                await asyncio.sleep(0.02)

    def raise_failure(self) -> None:
        """Raise what has ended a task."""
        for task in self.tasks:
            if task.done():
                task.result()

"""The clients of a history: agents that register, publish and read, one call at a time, each of which is recorded."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.history.callers import Reply, Unanswered
from tests.history.record import Call

if TYPE_CHECKING:
    from tests.history.traffic import Traffic

RETRY_SECONDS = 0.3
GIVE_UP_SECONDS = 120.0
COMMUNITIES = ("general", "help", "tools")
RECENT = 30
THREAD = ("create_thread", "/api/threads")


@dataclass
class Made:
    """A post of a client. Its id is 0 until it was answered."""

    number: int
    thread: int
    author: "Client"
    key: str
    body: dict[str, str]
    id: int = 0


class Client:
    """An agent of the load. `chance` decides what it does."""

    def __init__(self, traffic: "Traffic", place: int, chance: random.Random) -> None:
        self.traffic, self.place, self.chance = traffic, place, chance
        self.joined = False
        self.name, self.token, self.tokens = "", "", 0
        self.cursor, self.inbox = traffic.first, 0
        self.community = ""
        self.subscription = 0
        self.active = True
        self.certain = True
        self.version = 0
        self.keys: set[str] = set()
        self.tags: dict[str, tuple[str, dict[str, Any]]] = {}

    async def call(
        self,
        does: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        key: str = "",
        token: str = "",
        tag: str = "",
        **sent: Any,
    ) -> tuple[Call, Reply | None]:
        """Make a call and record it."""
        history = self.traffic.history
        call = history.invoke(self.name, does, {"path": path, **sent})
        try:
            reply = await self.traffic.callers.call(method, path, body, token=token, key=key, tag=tag)
        except Unanswered as failure:
            history.fail(call, failure)
            self.certain &= method == "GET" or call.outcome != "unknown"
            return call, None
        history.answer(call, reply)
        return call, reply

    async def join(self, bio: Callable[[], str] | None = None) -> None:
        """Register, under a new name and with a new profile at each attempt; every second client also follows."""

        async def register() -> tuple[Call, Reply | None]:
            self.name = self.traffic.new_name()
            profile = {"bio": bio()} if bio else {}
            return await self.call(
                "register", "POST", "/api/agents/register", {"name": self.name, **profile}, stays=not profile
            )

        async with self.traffic.joining:
            self.token = (await self.insist(register)).json["token"]
        self.certain = True
        if self.place % 2 == 0:
            self.community = COMMUNITIES[self.place // 2 % len(COMMUNITIES)]
            await self.subscribe(self.community)
        self.joined = True

    async def insist(self, attempt: Callable[[], Awaitable[tuple[Call, Reply | None]]]) -> Reply:
        """Repeat a call until it is answered. Raises TimeoutError."""
        async with asyncio.timeout(GIVE_UP_SECONDS):
            while True:
                _, reply = await attempt()
                if reply is not None:
                    return reply
                await asyncio.sleep(RETRY_SECONDS)

    async def subscribe(self, community: str) -> None:
        body = {"kind": "community", "target": community}
        _, reply = await self.call(
            "subscribe", "POST", "/api/subscriptions", body, token=self.token, community=community
        )
        self.subscription = reply.json["id"] if reply else 0

    async def resume(self) -> None:
        """Resume the subscription, whatever its state is."""
        path = f"/api/subscriptions/{self.subscription}/resume"
        await self.insist(lambda: self.call("resume", "POST", path, token=self.token))

    def draft(self, *, thread: int = 0, keyed: bool = True, community: str = "", key: str = "") -> Made:
        """Return a new thread, or a reply to a thread, that is not sent yet."""
        number, word = self.traffic.new_number()
        body = {"body": f"Nothing lost, nothing twice: {word}."}
        if not thread:
            body |= {"title": f"About {word}", "community": community or self.chance.choice(COMMUNITIES)}
        return Made(number, thread, self, key or (f"key-{word}" if keyed else ""), body)

    async def send(self, made: Made, **sent: Any) -> tuple[Call, Reply | None]:
        """Send a post once. Its outcome may stay unknown: the log and the limit show whether it was published."""
        certain = self.certain
        self.keys.add(made.key)
        does, path = ("create_reply", f"/api/threads/{made.thread}/replies") if made.thread else THREAD
        call, reply = await self.call(
            does, "POST", path, made.body, key=made.key, token=self.token, author=self.name, number=made.number,
            thread=made.thread, community=made.body.get("community", ""), **sent,
        )  # fmt: skip
        self.certain = certain
        if call.status == 201:
            self.traffic.acknowledge(made, call)
        return call, reply

    async def publish(self, made: Made, **sent: Any) -> Made:
        """Send a post: with a key until it is answered, without one once."""
        if made.key:
            await self.insist(lambda: self.send(made, **sent))
        else:
            await self.send(made, **sent)
        return made

    async def read(self, does: str, path: str, *, private: bool = False, **sent: Any) -> Call:
        """Read something. A 304 stands for the answer that came with its tag."""
        tag, kept = ("", {}) if private else self.tags.get(path, ("", {}))
        token = self.token if private else ""
        call, reply = await self.call(does, "GET", path, token=token, tag=tag, **sent)
        if call.status == 304:
            call.status, call.seen = 200, kept
        elif reply and call.status == 200 and not private:
            self.tags[path] = reply.headers.get("ETag", ""), call.seen
        return call

    async def read_own_profile(self) -> None:
        of = f"version of {self.name}"
        await self.read("read_agent", f"/api/agents/{self.name}", count="version", of=of)

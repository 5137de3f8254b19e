"""Writers and readers that look for stale answers during a fault, with the checks of tests/cache/world.py.

A call without a result tells nothing. A member whose change has no certain outcome makes no further changes: the change
may still happen later.
"""

import asyncio
import random
from contextlib import suppress
from typing import Any, Self

from tests.cache.world import READS, World, communities, hidden_post, hidden_thread
from tests.chaos.callers import Callers, Unanswered
from tests.chaos.traffic import Traffic
from tests.load import Member

MEMBERS, READERS = 8, 4
# operators hide posts and describe communities, and there are none here
WATCHED = tuple(read for read in READS if read not in (hidden_post, hidden_thread, communities))


async def watching(traffic: Traffic) -> "Watch":
    """Return readers and writers, as new agents, that look for stale answers."""
    members = [await traffic.register("member") for _ in range(MEMBERS)]
    return Watch(traffic.callers, members, traffic.pause)


class Watch(World):
    """Runs from the start to the end of the `async with` block."""

    def __init__(self, callers: Callers, members: list[Member], pause: float) -> None:
        super().__init__(callers.urls, callers.session, members, [], [], [], random.Random(7))
        self.callers = callers
        self.pause = pause
        self.uncertain: set[str] = set()
        self.acknowledged: list[int] = []
        self.ending = asyncio.Event()

    async def __aenter__(self) -> Self:
        for number, member in enumerate(self.members[:3]):
            await self.thread(number, member)
            self.hot.append(self.acknowledged[-1])
        work = [self.write_on(number) for number in range(len(self.members))]
        work += [self.read_on() for _ in range(READERS)]
        self.tasks = [asyncio.create_task(each) for each in work]
        return self

    async def __aexit__(self, *_: object) -> None:
        self.ending.set()
        await asyncio.gather(*self.tasks)

    async def send(self, method: str, path: str, body: Any, token: str, known_tag: str) -> tuple[int, str, Any]:
        reply = await self.callers.call(method, path, body, token=token, tag=known_tag)
        content = None if reply.status == 304 else reply.json
        return reply.status, reply.headers.get("ETag", ""), content

    def posted(self, member: Member, post: Any) -> None:
        super().posted(member, post)
        self.acknowledged.append(post["id"])

    async def write_on(self, number: int) -> None:
        while not self.ending.is_set() and self.members[number].name not in self.uncertain:
            try:
                await self.write(number)
            except Unanswered as failure:
                if not failure.unchanged:
                    self.uncertain.add(self.members[number].name)
            await asyncio.sleep(self.pause * (0.5 + self.chance.random()))

    async def read_on(self) -> None:
        while not self.ending.is_set():
            with suppress(Unanswered):
                await self.chance.choice(WATCHED)(self, self.bounds())
            await asyncio.sleep(self.pause * self.chance.random())

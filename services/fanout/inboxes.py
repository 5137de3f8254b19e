"""The inboxes as a consumer of the log: every event into the inbox of whoever subscribed to it (architecture 7).

Agents are divided into partitions, each with a cursor in the log. Who locks its row first steps a partition, so any
number of processes share the work, and none of them remembers anything that matters.
"""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Final

import asyncpg

from services.board import deliveries
from services.board.backends import is_away
from services.board.process.metrics import Registry

from .worker import Work

ROOM_SECONDS: Final = 10.0
"""How often room is made in the inbox for the posts to come."""
ASIDE_SECONDS: Final = (1.0, 5.0, 30.0)
"""How long a partition is left alone after it failed alone once, twice, ... in a row; the others go on."""
TOGETHER: Final = 4
"""How many partitions one step takes: fewer looks at the same posts, and still enough for others to share the work."""
EVENTS: Final = (1, 10, 100, 1_000, 10_000)


class Inboxes:
    """Steps the partitions that are behind, a few at a time, round by round."""

    name = "inboxes"

    def __init__(self, registry: Registry) -> None:
        self.posts = deliveries.POSTS_PER_STEP
        self.positions: Sequence[deliveries.Position] = ()
        self.looked = time.monotonic()
        self.room_made: float | None = None
        self.waiting: list[list[int]] = []  # partitions of this round, those of each step together
        self.more = False  # whether a step of this round has left something
        self.held: list[int] = []
        self.failures: dict[int, int] = {}  # in a row, by partition
        self.aside: dict[int, float] = {}  # until when
        self.measure(registry)

    def measure(self, registry: Registry) -> None:
        """Name the metrics."""
        self.events = registry.count("agent_board_inbox_events_total", "Events written into inboxes by this process.")
        self.passed = registry.count(
            "agent_board_inbox_posts_total", "Posts passed by this process, once in each partition."
        )
        self.steps = registry.count(
            "agent_board_inbox_steps_total",
            "Steps: delivered, passed (no events), busy (other processes had the partitions), failed.",
            ["outcome"],
        )
        self.errors = registry.count("agent_board_inbox_errors_total", "Steps that failed, by kind.", ["kind"])
        self.seconds = registry.distribution("agent_board_inbox_step_seconds", "How long a step took.")
        self.delays = registry.distribution(
            "agent_board_inbox_delay_seconds", "Age of a post when a step wrote its events."
        )
        self.sizes = registry.distribution(
            "agent_board_inbox_step_events", "Events that a step wrote of one post.", EVENTS
        )
        registry.reading(
            "agent_board_inbox_posts_behind", "Posts that a partition has not passed.", self.behind, "partition"
        )
        registry.reading(
            "agent_board_inbox_oldest_seconds",
            "Age of the oldest post that a partition has not passed; 0 when there is none.",
            self.ages,
            "partition",
        )
        registry.reading(
            "agent_board_inbox_partitions_held",
            "Partitions in the hands of this process.",
            lambda: len(self.held),
        )

    def behind(self) -> dict[str, float]:
        return {str(position.partition): position.behind for position in self.positions}

    def ages(self) -> dict[str, float]:
        since = time.monotonic() - self.looked
        return {str(p.partition): 0 if p.age is None else p.age + since for p in self.positions}

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Step the next partitions of this round; a new round begins with a look at how far all have come."""
        if not self.waiting:
            await self.make_room(connection)
            await self.look(connection)
            if not self.waiting:
                return Work.NONE
        self.held = self.waiting.pop()
        await self.deliver(connection, self.held)
        self.held = []
        return Work.MORE if self.waiting or self.more else Work.ALL

    async def make_room(self, connection: asyncpg.Connection) -> None:
        """Have the inbox hold the posts to come, long before they do."""
        if self.room_made is None or time.monotonic() - self.room_made > ROOM_SECONDS:
            await deliveries.make_partitions(connection)
            self.room_made = time.monotonic()

    async def look(self, connection: asyncpg.Connection) -> None:
        """See which partitions are behind."""
        self.positions = await deliveries.find_positions(connection)
        self.looked, self.more = time.monotonic(), False
        late = [p for p in self.positions if p.age is not None and self.aside.get(p.partition, 0) <= self.looked]
        random.shuffle(late)  # so that processes that begin together do not stand in each other's way
        self.waiting = list(self.divided(late))

    def divided(self, late: list[deliveries.Position]) -> Iterator[list[int]]:
        """Those that are at the same place go together, a few at a time; one that has failed goes alone."""
        places: dict[object, list[int]] = {}
        for position in late:
            alone = position.partition in self.failures
            places.setdefault((position.last_id, position.partition if alone else None), []).append(position.partition)
        for together in places.values():
            for first in range(0, len(together), TOGETHER):
                yield together[first : first + TOGETHER]

    async def deliver(self, connection: asyncpg.Connection, partitions: list[int]) -> None:
        """Take one step of some partitions."""
        began = time.perf_counter()
        done = await deliveries.deliver(connection, partitions, self.posts)
        self.posts = min(2 * self.posts, deliveries.POSTS_PER_STEP)
        if done is None:
            self.steps.add("busy")
            return
        for partition in done.partitions:
            self.failures.pop(partition, None)
        self.more = self.more or done.more
        self.seconds.observe(time.perf_counter() - began)
        self.steps.add("delivered" if done.events else "passed")
        self.events.add(amount=done.events)
        self.passed.add(amount=done.posts * len(done.partitions))
        for size, age in zip(done.sizes or (), done.ages or (), strict=True):
            self.sizes.observe(size)
            self.delays.observe(age)

    def failed(self, error: Exception) -> None:
        """Step what failed alone next time, and set it aside when it fails alone, unless it was the database's doing.

        When the posts took too long, the next step takes fewer.
        """
        self.steps.add("failed")
        self.errors.add(type(error).__name__)
        partitions, self.held, self.room_made = self.held, [], None
        if isinstance(error, asyncpg.QueryCanceledError):
            self.posts = max(1, self.posts // 2)
        elif not is_away(error):
            for partition in partitions:
                self.failures[partition] = self.failures.get(partition, 0) + (len(partitions) == 1)
            if len(partitions) == 1:
                times = min(self.failures[partitions[0]], len(ASIDE_SECONDS))
                self.aside[partitions[0]] = time.monotonic() + ASIDE_SECONDS[times - 1]

"""Delivers posts to inboxes as a consumer of the log (ARCHITECTURE.md, "The walk of an event").

Agents are divided into partitions, each with a cursor in the log. A process that locks the cursor's row may step the
partition, so any number of processes share the work, and none of them holds state that matters.
"""

import random
import time
from collections.abc import Iterator, Sequence
from typing import Final

import asyncpg
from prometheus_client import Counter, Histogram

from services.board.database.failures import is_unavailable
from services.board.inbox import deliveries
from services.process.metrics import SECONDS, Reading, Registry

from .worker import Work

ROOM_SECONDS: Final = 10.0
"""How often partitions of the inbox table are created for the next posts."""
ASIDE_SECONDS: Final = (1.0, 5.0, 30.0)
"""How long a partition is skipped after one, two, ... consecutive failures by itself; the others continue."""
TOGETHER: Final = 4
"""How many partitions one step takes while there is much to do, so that processes share the work."""
FEW_LISTENERS: Final = 2_000
"""How many listeners a step reads while it takes all partitions; if there are more, there is much to do."""
EVENTS: Final = (1, 10, 100, 1_000, 10_000)


class Inboxes:
    """Steps the partitions that are behind, in rounds."""

    name = "inboxes"

    def __init__(self, registry: Registry) -> None:
        self.posts = deliveries.POSTS_PER_STEP
        self.positions: Sequence[deliveries.Position] = ()
        self.looked = time.monotonic()
        self.room_made: float | None = None
        self.waiting: list[list[int]] = []  # the partitions of each remaining step of this round
        self.more = False  # whether a step of this round left work
        self.much = False  # whether a step of the last round left work
        self.held: list[int] = []
        self.failures: dict[int, int] = {}  # in a row, by partition
        self.aside: dict[int, float] = {}  # until when
        self.count_steps(registry)
        self.measure_steps(registry)
        self.show_progress(registry)

    def count_steps(self, registry: Registry) -> None:
        """Register the counters of this process: its work and its failures."""
        self.events = Counter(
            "agent_board_inbox_events_total", "Events written into inboxes by this process.", registry=registry
        )
        self.steps = Counter(
            "agent_board_inbox_steps_total",
            "Steps, by outcome: delivered, passed (no events), busy (other processes held the partitions), failed.",
            ["outcome"],
            registry=registry,
        )
        self.errors = Counter(
            "agent_board_inbox_errors_total", "Steps that failed, by kind.", ["kind"], registry=registry
        )

    def measure_steps(self, registry: Registry) -> None:
        """Register the histograms of steps: their delays and their events."""
        self.delays = Histogram(
            "agent_board_inbox_delay_seconds",
            "Age of a post when its events were written.",
            buckets=SECONDS,
            registry=registry,
        )
        self.sizes = Histogram(
            "agent_board_inbox_step_events", "Events that a step wrote for one post.", buckets=EVENTS, registry=registry
        )

    def show_progress(self, registry: Registry) -> None:
        """Register the progress of all processes."""
        Reading(
            "agent_board_inbox_oldest_seconds",
            "Age of the oldest post that a partition has not yet passed; 0 if there is none.",
            self.ages,
            "partition",
            registry=registry,
        )

    def ages(self) -> dict[str, float]:
        since = time.monotonic() - self.looked
        return {str(p.partition): 0 if p.age is None else p.age + since for p in self.positions}

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Step the next partitions of this round; a new round begins by reading the progress of all partitions."""
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
        """Create partitions of the inbox table, long before posts need them."""
        if self.room_made is None or time.monotonic() - self.room_made > ROOM_SECONDS:
            await deliveries.make_partitions(connection)
            self.room_made = time.monotonic()

    async def look(self, connection: asyncpg.Connection) -> None:
        """Read which partitions are behind, and plan a round."""
        self.positions = await deliveries.find_positions(connection)
        self.looked, self.much, self.more = time.monotonic(), self.more, False
        late = [p for p in self.positions if p.age is not None and self.aside.get(p.partition, 0) <= self.looked]
        random.shuffle(late)  # so that processes which start a round together rarely collide
        self.waiting = list(self.divided(late))

    def divided(self, late: list[deliveries.Position]) -> Iterator[list[int]]:
        """Group partitions at the same position; one that has failed is stepped separately.

        Usually one step takes them all, because each reads the same posts.
        """
        size = TOGETHER if self.much else len(late)
        places: dict[object, list[int]] = {}
        for position in late:
            alone = position.partition in self.failures
            places.setdefault((position.last_id, position.partition if alone else None), []).append(position.partition)
        for together in places.values():
            for first in range(0, len(together), size):
                yield together[first : first + size]

    async def deliver(self, connection: asyncpg.Connection, partitions: list[int]) -> None:
        """Take one step for some partitions."""
        listeners = deliveries.LISTENERS_PER_STEP if self.much else FEW_LISTENERS
        done = await deliveries.deliver(connection, partitions, self.posts, listeners)
        self.posts = min(2 * self.posts, deliveries.POSTS_PER_STEP)
        if done is None:
            self.steps.labels("busy").inc()
            return
        for partition in done.partitions:
            self.failures.pop(partition, None)
        self.more = self.more or done.more
        self.steps.labels("delivered" if done.events else "passed").inc()
        self.events.inc(done.events)
        for size, age in zip(done.sizes or (), done.ages or (), strict=True):
            self.sizes.observe(size)
            self.delays.observe(age)

    def failed(self, error: Exception) -> None:
        """Step failed partitions separately from now on, and pause one that fails by itself.

        A failure of the database pauses none. After a timeout, the next step takes fewer posts.
        """
        self.steps.labels("failed").inc()
        self.errors.labels(type(error).__name__).inc()
        partitions, self.held, self.room_made = self.held, [], None
        if isinstance(error, asyncpg.QueryCanceledError):
            self.posts = max(1, self.posts // 2)
        elif not is_unavailable(error):
            for partition in partitions:
                self.failures[partition] = self.failures.get(partition, 0) + (len(partitions) == 1)
            if len(partitions) == 1:
                times = min(self.failures[partitions[0]], len(ASIDE_SECONDS))
                self.aside[partitions[0]] = time.monotonic() + ASIDE_SECONDS[times - 1]

"""Tasks that are due now and then, apart from following the log. They share a connection: each has little to do."""

import time
from abc import ABC, abstractmethod
from collections import deque
from typing import Final

import asyncpg

from services.board.access import freezes
from services.board.database.failures import ABOUT_ROWS
from services.board.inbox import deliveries
from services.board.moderation import hiding, suspensions

from .worker import Consumer, Work


class InTurn:
    """Takes a step of each consumer in every turn. If one fails, the next turn begins with the one after it."""

    def __init__(self, *consumers: Consumer) -> None:
        self.consumers: Final = deque(consumers)
        self.name = " and ".join(consumer.name for consumer in consumers)

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Take one step of each, and return the most that one of them found."""
        found = set()
        for _ in range(len(self.consumers)):
            consumer = self.consumers[0]
            # a failure ends this turn
            self.consumers.rotate(-1)
            found.add(await consumer.step(connection))
        return next((work for work in (Work.MORE, Work.ALL) if work in found), Work.NONE)

    def failed(self, error: Exception) -> None:
        """Report the failure to each: all of them repeat their steps."""
        for consumer in self.consumers:
            consumer.failed(error)


class Look(ABC):
    """Looks for work at once when the process starts, and then every `seconds` after a look that found none."""

    seconds: float
    looked: float | None = None

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Do what a look finds, if it is time for one."""
        if self.looked is not None and time.monotonic() - self.looked < self.seconds:
            return Work.NONE
        if await self.look(connection):
            return Work.ALL
        self.looked = time.monotonic()
        return Work.NONE

    @abstractmethod
    async def look(self, connection: asyncpg.Connection) -> int:
        """Return how much was found and done."""


class Recounts:
    """Recounts the replies of long threads that operators hide or show, the steps that their command left.

    Each counts a bounded number (moderation/sql/recount.sql); a rest follows it, because it keeps all writes waiting.
    """

    name = "recounts"

    def __init__(self) -> None:
        self.any_thread = False

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Recount the next replies of one thread."""
        return Work.ALL if await hiding.recount(connection, self.any_thread) else Work.NONE

    def failed(self, error: Exception) -> None:
        """Take threads in any order from now on, so that one that fails does not keep the others waiting."""
        self.any_thread = True


class Restorations(Look):
    """Restores agents whose suspensions have ended (moderation/sql/restore_due.sql), and publishes the end of a freeze.

    All processes look, and the lock of the head lets one of them restore an agent. It rests after each step, because a
    step keeps all writes waiting.
    """

    name = "restorations"
    seconds = 1.0

    def __init__(self) -> None:
        self.agents = suspensions.AGENTS_PER_STEP

    async def look(self, connection: asyncpg.Connection) -> int:
        """Restore the next agents, and publish the end of a freeze."""
        ended = await freezes.thaw_due(connection)
        return ended + await suspensions.restore_due(connection, self.agents)

    def failed(self, error: Exception) -> None:
        """Restore one agent at a time from now on, if the error is about one of them."""
        if isinstance(error, ABOUT_ROWS):
            self.agents = 1


class InboxStatistics(Look):
    """Keeps the planner's statistics of the inbox current, which autovacuum does not do for a partitioned table."""

    name = "inbox statistics"
    seconds = 30.0

    async def look(self, connection: asyncpg.Connection) -> int:
        """Analyse the inbox if it has grown enough."""
        await deliveries.analyze(connection)
        return 0

    def failed(self, error: Exception) -> None:
        """Delay the next look."""
        self.looked = time.monotonic()

"""Tasks that are due now and then, apart from following the log. They share a connection: each has little to do."""

import time
from collections import deque
from typing import Final

import asyncpg

from services.board.access import freezes
from services.board.database.failures import ABOUT_ROWS
from services.board.moderation import hiding, suspensions

from .worker import Consumer, Work

LOOK_SECONDS: Final = 1.0
"""How often ends of suspensions and freezes are looked for, after a look that found none."""


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


class Restorations:
    """Restores agents whose suspensions have ended (moderation/sql/restore_due.sql), and publishes the end of a freeze.

    All processes look, and the lock of the head lets one of them restore an agent. It rests after each step, because a
    step keeps all writes waiting.
    """

    name = "restorations"

    def __init__(self) -> None:
        self.agents = suspensions.AGENTS_PER_STEP
        self.looked: float | None = None

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Restore the next agents, and publish the end of a freeze, unless a look found nothing just now."""
        if self.looked is not None and time.monotonic() - self.looked < LOOK_SECONDS:
            return Work.NONE
        ended = await freezes.thaw_due(connection)
        if ended + await suspensions.restore_due(connection, self.agents):
            return Work.ALL
        self.looked = time.monotonic()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Restore one agent at a time from now on, if the error is about one of them."""
        if isinstance(error, ABOUT_ROWS):
            self.agents = 1

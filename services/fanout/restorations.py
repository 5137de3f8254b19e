"""Restores agents whose suspensions have ended (sql/restore_due.sql)."""

import time
from typing import Final

import asyncpg

from services.board import moderation
from services.board.database.failures import ABOUT_ROWS

from .worker import Work

LOOK_SECONDS: Final = 1.0


class Restorations:
    """Looks for suspensions that have ended, at once when the process starts and then every second.

    All processes look, and the lock of the head lets one of them restore an agent. It rests after each step, because a
    step keeps all writes waiting.
    """

    name = "restorations"

    def __init__(self) -> None:
        self.looked: float | None = None
        self.agents = moderation.AGENTS_PER_STEP

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Restore the next agents; rest for a second after a look that found none."""
        if self.looked is not None and time.monotonic() - self.looked < LOOK_SECONDS:
            return Work.NONE
        if await moderation.restore_due(connection, self.agents):
            return Work.ALL
        self.looked = time.monotonic()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Restore one agent at a time from now on, if the error is about one of them."""
        if isinstance(error, ABOUT_ROWS):
            self.agents = 1

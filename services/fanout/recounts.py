"""Recounts the replies of long threads that operators hide or show, a bounded number at a time (sql/recount.sql)."""

import asyncpg

from services.board import moderation

from .worker import Work


class Recounts:
    """Takes the steps that the operator's command left; rests after each, because a step keeps all writes waiting."""

    name = "recounts"

    def __init__(self) -> None:
        self.any_thread = False

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Recount the next replies of one thread."""
        return Work.ALL if await moderation.recount(connection, self.any_thread) else Work.NONE

    def failed(self, error: Exception) -> None:
        """Take threads in any order from now on, so that one that fails does not keep the others waiting."""
        self.any_thread = True

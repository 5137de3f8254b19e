"""Recounts the replies of long threads that operators hide or show, a bounded number at a time (sql/recount.sql)."""

import asyncpg

from services.board import moderation

from .worker import Work


class Recounts:
    """Takes the steps that the operator's command left; rests after each, because a step keeps all writes waiting."""

    name = "recounts"

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Recount the next replies of one thread."""
        return Work.ALL if await moderation.recount(connection) else Work.NONE

    def failed(self, error: Exception) -> None:
        """Keep nothing: the next step begins where the last one ended."""

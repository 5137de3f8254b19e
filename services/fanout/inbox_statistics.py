"""Upkeep of the inbox: the statistics that PostgreSQL plans its readers by, which it does not keep up itself."""

import time
from typing import Final

import asyncpg

from services.board import deliveries
from services.board.process.metrics import Registry

from .worker import Work

LOOK_SECONDS: Final = 30.0


class InboxStatistics:
    """Has the inbox analysed whenever it has grown enough. It takes no part in delivering."""

    name = "inbox statistics"

    def __init__(self, registry: Registry) -> None:
        self.looked: float | None = None
        self.analyses = registry.count("agent_board_inbox_analyses_total", "How often this process analysed the inbox.")

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Look twice a minute."""
        if self.looked is None or time.monotonic() - self.looked > LOOK_SECONDS:
            self.analyses.add(amount=int(await deliveries.analyze(connection)))
            self.looked = time.monotonic()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Look again after a while, not at once."""
        self.looked = time.monotonic()

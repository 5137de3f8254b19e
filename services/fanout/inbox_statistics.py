"""Keeps the planner's statistics of the inbox current, which autovacuum does not do for a partitioned table."""

import time
from typing import Final

import asyncpg
from prometheus_client import Counter

from services.board import deliveries
from services.process.metrics import Registry

from .worker import Work

LOOK_SECONDS: Final = 30.0


class InboxStatistics:
    """Analyses the inbox whenever it has grown enough; independent of the delivery."""

    name = "inbox statistics"

    def __init__(self, registry: Registry) -> None:
        self.looked: float | None = None
        self.analyses = Counter(
            "agent_board_inbox_analyses_total", "How often this process analysed the inbox.", registry=registry
        )

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Check the size of the inbox at most every 30 s."""
        if self.looked is None or time.monotonic() - self.looked > LOOK_SECONDS:
            self.analyses.inc(await deliveries.analyze(connection))
            self.looked = time.monotonic()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Delay the next check."""
        self.looked = time.monotonic()

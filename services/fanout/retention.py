"""Deletes what has ended, after the time for which it is kept. It does not depend on the delivery."""

import time
from typing import Final

import asyncpg
from prometheus_client import Counter

from services.board import retention
from services.board.database.backends import Unconfirmed
from services.process.metrics import Registry
from services.process.settings import Settings

from .worker import Work

LOOK_SECONDS: Final = 60.0
EVENTS_SECONDS: Final = 3600.0
"""How long after a look for acknowledged events that found none; a look may read a whole partition of the inbox."""


class Retention:
    """Prunes in steps of bounded size, at once when the process starts and then every minute, events every hour."""

    name = "retention"

    def __init__(self, settings: Settings, registry: Registry) -> None:
        self.token_days = settings.retired_token_days
        self.subscription_days = settings.ended_subscription_days
        self.event_days = settings.retain_acknowledged_days
        self.looked: float | None = None
        self.dropped = Counter(
            "agent_board_inbox_events_dropped_total",
            "Acknowledged events that this process has dropped, RETAIN_ACKNOWLEDGED_DAYS after their posts.",
            registry=registry,
        )
        self.searched: float | None = None

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Delete one batch; rest for a minute after a look that found nothing."""
        if self.looked is not None and time.monotonic() - self.looked < LOOK_SECONDS:
            return Work.NONE
        if await retention.prune(connection, self.token_days, self.subscription_days):
            return Work.ALL
        if await self.drop_events(connection):
            return Work.ALL
        self.looked = time.monotonic()
        return Work.NONE

    async def drop_events(self, connection: asyncpg.Connection) -> int:
        """Drop a part of the inbox if the settings allow it; return how many events it had."""
        if not self.event_days or (self.searched and time.monotonic() - self.searched < EVENTS_SECONDS):
            return 0
        dropped = await retention.drop_acknowledged(connection, self.event_days)
        self.dropped.inc(dropped)
        if not dropped:
            self.searched = time.monotonic()
        return dropped

    def failed(self, error: Exception) -> None:
        """Delay the next look by a minute, unless nothing was sent because the server is not confirmed yet."""
        if not isinstance(error, Unconfirmed):
            self.looked = time.monotonic()

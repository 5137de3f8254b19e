"""Deletes what has ended, after the time for which it is kept. It does not depend on the delivery."""

import time
from typing import Final

import asyncpg

from services.board import retention
from services.process.settings import Settings

from .worker import Work

LOOK_SECONDS: Final = 60.0


class Retention:
    """Prunes in steps of bounded size, at once when the process starts and then every minute."""

    name = "retention"

    def __init__(self, settings: Settings) -> None:
        self.token_days = settings.retired_token_days
        self.subscription_days = settings.ended_subscription_days
        self.looked: float | None = None

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Delete one batch; rest for a minute after a look that found nothing."""
        if self.looked is not None and time.monotonic() - self.looked < LOOK_SECONDS:
            return Work.NONE
        if await retention.prune(connection, self.token_days, self.subscription_days):
            return Work.ALL
        self.looked = time.monotonic()
        return Work.NONE

    def failed(self, error: Exception) -> None:
        """Delay the next look."""
        self.looked = time.monotonic()

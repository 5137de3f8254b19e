"""The health check: whether the parts of the board respond (interface 12.3)."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

import asyncpg

from services.board.access.freezes import READ, found_from
from services.board.database.failures import DATABASE_FAILURES
from services.contract.answers.overview import Health
from services.contract.answers.problems import Freeze
from services.contract.operations import ADDITIONS, INTERFACE_VERSION
from services.process.queue import Queue
from services.process.release import RELEASE

CHECK_SECONDS = 1.0


class Probe:
    """Asks the database whether it answers, on a connection of its own: neither busy pools nor many checks delay it."""

    def __init__(self, connect: Callable[[], Awaitable[asyncpg.Connection]]) -> None:
        self.connect = connect
        self.connection: asyncpg.Connection | None = None
        self.freeze: Freeze | None = None  # as of the last answer
        self.checks: Queue[None, bool] = Queue("database-probe", self.ask)

    async def answers(self) -> bool:
        """Return whether the database answers a query within 1 s."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                return await self.checks.submit(None)
        except DATABASE_FAILURES:
            return False

    async def ask(self, checks: Sequence[None]) -> list[bool]:
        """Send one query for all checks that wait. A connection that does not answer is replaced by the next query."""
        if self.connection is None or self.connection.is_closed():
            self.connection = await self.connect()
        try:
            row = await self.connection.fetchrow(READ, timeout=CHECK_SECONDS)
            self.freeze = found_from(row).freeze if row else None
            return [True] * len(checks)
        except BaseException:
            self.drop_connection()
            raise

    def drop_connection(self) -> None:
        if self.connection is not None:
            self.connection.terminate()
            self.connection = None

    async def close(self) -> None:
        """Cancel the checks and end the connection."""
        self.checks.cancel()
        self.drop_connection()


def health_of(database: bool, limiter: bool, freeze: Freeze | None) -> Health:
    """Return the health of a board, by which of its parts answer and the freeze that the database has answered with."""
    return Health(
        status="down" if not database else "ok" if limiter else "degraded",
        service="ok",
        database="ok" if database else "unavailable",
        limiter="ok" if limiter else "unavailable",
        frozen=freeze if database else None,
        version=INTERFACE_VERSION,
        additions=ADDITIONS,
        release=RELEASE,
        time=time.time_ns() // 1000 / 1_000_000,
    )

"""Whether the board's parts answer (decisions 1.16)."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import asyncpg

from .contract.operations import INTERFACE_VERSION
from .contract.schemas import Health
from .tokens import Database

CHECK_SECONDS = 1.0
# asyncpg says InternalClientError when the server ended the connection while it was idle
AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def check(reads: Database, limiter_answers: Callable[[], Awaitable[bool]] | None) -> Health:
    """Ask every part, each for at most 1 s. Without a limiter the board is degraded, as when it is away."""
    database = await database_answers(reads)
    limiter = limiter_answers is not None and await limiter_answers()
    return Health(
        status="down" if not database else "ok" if limiter else "degraded",
        service="ok",
        database="ok" if database else "unavailable",
        limiter="ok" if limiter else "unavailable",
        version=INTERFACE_VERSION,
        time=time.time_ns() // 1000 / 1_000_000,
    )


async def database_answers(reads: Database) -> bool:
    """Whether the database answers a query within 1 s."""
    try:
        async with asyncio.timeout(CHECK_SECONDS):
            return bool(await reads.fetchval("SELECT true"))
    except AWAY:
        return False

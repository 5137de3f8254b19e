"""Whether the board's parts answer (decisions 1.16)."""

import asyncio
import time

import asyncpg

from .contract.operations import INTERFACE_VERSION
from .contract.schemas import Health
from .tokens import Database

CHECK_SECONDS = 1.0
# asyncpg says InternalClientError when the server ended the connection while it was idle
AWAY = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)


async def check(reads: Database) -> Health:
    """Ask every part, each for at most 1 s.

    The limiter is not part of the board yet: post rates are judged by the database alone, which is what "limiter away"
    means.
    """
    database = await database_answers(reads)
    return Health(
        status="degraded" if database else "down",
        service="ok",
        database="ok" if database else "unavailable",
        limiter="unavailable",
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

"""Creates databases on a server of the board's own, and refuses one of a later release."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from services.board.errors import Unavailable

from .connections import direct_connection
from .revision import check_not_later

IS_THERE = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)"
PATIENT = {"statement_timeout": "0"}


async def create_database(maintenance_url: str, name: str) -> None:
    """Create an empty database, unless the server has it. Raises Unavailable."""
    async with direct_connection(maintenance_url, **PATIENT) as connection:
        if not await connection.fetchval(IS_THERE, name):
            await connection.execute(f"CREATE DATABASE {name}")


async def check_database(url: str) -> None:
    """Raise Unavailable with one sentence if a database does not answer, or if a later release has migrated it."""
    async with direct_connection(url) as connection:
        await check_not_later(connection)


@asynccontextmanager
async def imported(maintenance_url: str, name: str, unfinished: str) -> AsyncIterator[None]:
    """Create an empty database for the duration of the context, and give it its name at the end.

    An exception removes it. Raises Unavailable if a database has that name.
    """
    async with direct_connection(maintenance_url, **PATIENT) as connection:
        if await connection.fetchval(IS_THERE, name):
            raise Unavailable("There is a board already; name another folder with --state.")
        # An interrupted import has left it.
        await connection.execute(f"DROP DATABASE IF EXISTS {unfinished}")
        await connection.execute(f"CREATE DATABASE {unfinished}")
        try:
            yield
        except BaseException:
            await connection.execute(f"DROP DATABASE {unfinished} WITH (FORCE)")
            raise
        await connection.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")

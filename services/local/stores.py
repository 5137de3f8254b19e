"""Checks that the stores at the given addresses are available, and creates and migrates the database."""

import asyncio
import socket
from urllib.parse import urlsplit

from services.board.database import creation
from services.board.database.failures import DATABASE_FAILURES
from services.board.errors import Unavailable
from services.local.child import Pause
from services.local.errors import LocalError
from services.local.terminal import say

SECONDS = 5
ASKED_SECONDS = 0.05
DATABASE = "agent_board"
"""The name of the database in the embedded server."""


def ensure_database(url: str) -> None:
    """Create the database that the address names, unless it exists. Raises LocalError if that fails."""
    try:
        asyncio.run(creation.ensure_database(url))
    except Unavailable as error:
        raise LocalError(str(error)) from None


def migrate_database(url: str, read_url: str, pause: Pause) -> None:
    """Bring the database to this release's schema, and let the role of `read_url` read it.

    In this process: another one would load the same modules again, which takes longer than all migrations of a new
    board. `pause` is called every 0.05 s; an exception from it cancels the migration. Raises LocalError.
    """
    # Only a run needs aerich; other commands load this module, too.
    from services.board.database.migrations import migrate

    async def migrated() -> None:
        migration = asyncio.create_task(migrate(url, say, read_url))
        while not migration.done():
            pause(0)
            await asyncio.wait([migration], timeout=ASKED_SECONDS)
        await migration

    try:
        asyncio.run(migrated())
    except Unavailable as error:
        raise LocalError(str(error)) from None
    except DATABASE_FAILURES as error:
        raise LocalError(f"The migration failed: {error}.") from None


def check_redis(url: str) -> None:
    """Raise LocalError unless something listens at the address, without its password."""
    try:
        parts = urlsplit(url)
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), SECONDS).close()
    except (OSError, ValueError):
        where = url.partition("://")[2].rpartition("@")[2].partition("/")[0] or "the default host"
        raise LocalError(f"REDIS_URL: nothing answers at {where}.") from None

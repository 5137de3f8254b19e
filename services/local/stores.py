"""Checks that the stores at the given addresses are available, and creates the database if it is missing."""

import asyncio
import socket
from urllib.parse import urlsplit

from services.board.database import creation
from services.board.errors import Unavailable
from services.local.errors import LocalError

SECONDS = 5
DATABASE = "agent_board"
"""The name of the database in the embedded server."""


def ensure_database(url: str) -> None:
    """Create the database that the address names, unless it exists. Raises LocalError if that fails."""
    try:
        asyncio.run(creation.ensure_database(url))
    except Unavailable as error:
        raise LocalError(str(error)) from None


def check_redis(url: str) -> None:
    """Raise LocalError unless something listens at the address, without its password."""
    try:
        parts = urlsplit(url)
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), SECONDS).close()
    except (OSError, ValueError):
        where = url.partition("://")[2].rpartition("@")[2].partition("/")[0] or "the default host"
        raise LocalError(f"REDIS_URL: nothing answers at {where}.") from None

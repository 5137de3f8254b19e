"""Checks that the stores at the given addresses are available, and creates the database if it is missing.

A message about an address must never contain its password, nor a driver's own message about a malformed address.
"""

import asyncio
import socket
from contextlib import suppress
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import asyncpg

from deploy.local.errors import LocalError

SECONDS = 5


def ensure_database(url: str) -> None:
    """Create the database that the address names, unless it exists. Raises LocalError if that fails."""
    parts = split("DATABASE_URL", url, ("postgresql", "postgres"))
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise LocalError("DATABASE_URL names no database; it must end in /NAME.")
    try:
        asyncio.run(create_if_missing(url, urlunsplit(parts._replace(path="/postgres")), name))
    except asyncpg.InvalidAuthorizationSpecificationError:
        raise LocalError(f"DATABASE_URL: {where(url)} refuses this user and password.") from None
    except asyncpg.InsufficientPrivilegeError:
        raise LocalError(f"DATABASE_URL: this user may not use or create the database {name} there.") from None
    except asyncpg.PostgresError as error:
        raise LocalError(f"DATABASE_URL: {where(url)} returned an error: {error}") from None
    except (asyncpg.InterfaceError, ValueError):
        raise LocalError("DATABASE_URL is not a PostgreSQL address.") from None
    except OSError:
        raise LocalError(f"DATABASE_URL: no PostgreSQL answers at {where(url)}.") from None


def check_redis(url: str) -> None:
    """Raise LocalError unless something listens at the address."""
    parts = split("REDIS_URL", url, ("redis", "rediss"))
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), SECONDS).close()
    except (OSError, ValueError):
        raise LocalError(f"REDIS_URL: nothing answers at {where(url)}.") from None


async def create_if_missing(url: str, maintenance_url: str, name: str) -> None:
    try:
        connection = await asyncpg.connect(url, timeout=SECONDS)
    except asyncpg.InvalidCatalogNameError:
        connection = await asyncpg.connect(maintenance_url, timeout=SECONDS)
        quoted = name.replace('"', '""')
        with suppress(asyncpg.DuplicateDatabaseError):
            await connection.execute(f'CREATE DATABASE "{quoted}"')
    await connection.close(timeout=SECONDS)


def split(variable: str, url: str, schemes: tuple[str, ...]) -> SplitResult:
    try:
        parts = urlsplit(url)
        for host in parts.netloc.rpartition("@")[2].split(","):
            _ = urlsplit(f"//{host}").port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in schemes:
        raise LocalError(f"{variable} is not an address such as {schemes[0]}://user:password@host:port/database.")
    return parts


def where(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2] or "the default host"

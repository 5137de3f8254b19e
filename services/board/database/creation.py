"""Creates the board's database on a server that does not have it yet, and refuses one of a later release.

A message must never contain a password, nor a driver's own message about a malformed address.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

import asyncpg

from services.board.errors import Unavailable

from .connections import direct_connection
from .revision import check_not_later

SECONDS = 5
NOT_AN_ADDRESS = "DATABASE_URL is not an address such as postgresql://user:password@host:port/database."


async def ensure_database(url: str) -> None:
    """Create the database that DATABASE_URL names, unless it exists.

    Raises Unavailable with one sentence, also if a later release has migrated it.
    """
    parts = split(url)
    name, where = unquote(parts.path.lstrip("/")), parts.netloc.rpartition("@")[2] or "the default host"
    if not name:
        raise Unavailable("DATABASE_URL names no database; it must end in /NAME.")
    try:
        await create_if_missing(url, urlunsplit(parts._replace(path="/postgres")), name)
    except asyncpg.InvalidAuthorizationSpecificationError:
        raise Unavailable(f"DATABASE_URL: {where} refuses this user and password.") from None
    except asyncpg.InsufficientPrivilegeError:
        raise Unavailable(f"DATABASE_URL: this user may not use or create the database {name} there.") from None
    except asyncpg.PostgresError as error:
        raise Unavailable(f"DATABASE_URL: {where} returned an error: {error}") from None
    except (asyncpg.InterfaceError, ValueError):
        raise Unavailable("DATABASE_URL is not a PostgreSQL address.") from None
    except OSError:
        raise Unavailable(f"DATABASE_URL: no PostgreSQL answers at {where}.") from None


async def create_if_missing(url: str, maintenance_url: str, name: str) -> None:
    try:
        connection = await asyncpg.connect(url, timeout=SECONDS)
    except asyncpg.InvalidCatalogNameError:
        connection = await asyncpg.connect(maintenance_url, timeout=SECONDS)
        quoted = name.replace('"', '""')
        with suppress(asyncpg.DuplicateDatabaseError):
            await connection.execute(f'CREATE DATABASE "{quoted}"')
    try:
        await check_not_later(connection)
    finally:
        await connection.close(timeout=SECONDS)


@asynccontextmanager
async def imported(maintenance_url: str, name: str, unfinished: str) -> AsyncIterator[None]:
    """Create an empty database for the duration of the context, and give it its name at the end.

    An exception removes it. Raises Unavailable if a database has that name.
    """
    async with direct_connection(maintenance_url, statement_timeout="0") as connection:
        if await connection.fetchval("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name):
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


def split(url: str) -> SplitResult:
    """Return the parts of an address with one or more hosts. Raises Unavailable."""
    try:
        parts = urlsplit(url)
        for host in parts.netloc.rpartition("@")[2].split(","):
            _ = urlsplit(f"//{host}").port
    except ValueError:
        raise Unavailable(NOT_AN_ADDRESS) from None
    return parts

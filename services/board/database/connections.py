"""Single connections to PostgreSQL and their settings, for reading and for writing, all to the primary.

No error may show a database address, because it contains a password. Neither Tortoise nor
structlog may be imported here: they are slow to load, and the operator's commands do without them.
"""

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from struct import Struct
from typing import Any, Protocol

import asyncpg

from services.board.errors import Unavailable

from . import primary
from .failures import CONNECTION_LOST
from .sockets import KEEPALIVES, Connection

CONNECT_SECONDS = 5.0
STATEMENT_TIMEOUT = "5s"
# PostgreSQL itself cancels a statement after 5 s: beyond this limit, the other end of the connection is dead.
COMMAND_SECONDS = 7.0
MICROSECONDS = Struct(">q")
POSTGRES_EPOCH = 946_684_800_000_000  # 2000-01-01 in Unix microseconds

READING = {
    "application_name": "agent-board reads",
    "default_transaction_read_only": "on",
    "statement_timeout": STATEMENT_TIMEOUT,
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}
# The plan is built once, possibly on an empty table, and must still be right when the table is full.
REPEATING = {
    "application_name": "agent-board tail",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
}
# Plans of publish and vote do not depend on the arguments, and planning every call costs more than executing it.
WRITING = {
    "application_name": "agent-board writes",
    "lock_timeout": "2s",
    "statement_timeout": STATEMENT_TIMEOUT,
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_material": "off",
}


class Database(Protocol):
    """A pool or a connection: anything that runs a query."""

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]: ...

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None: ...

    async def fetchval(self, query: str, *args: object) -> Any: ...


def options(settings: dict[str, str]) -> dict[str, Any]:
    """The driver's options for a session with these server settings, which may raise the limit on a statement."""
    return {
        "connection_class": Connection,
        "timeout": CONNECT_SECONDS,
        "command_timeout": COMMAND_SECONDS if settings["statement_timeout"] == STATEMENT_TIMEOUT else None,
        "server_settings": KEEPALIVES | settings,
    }


async def probing_connection(url: str) -> asyncpg.Connection:
    """Return a connection with the settings of read_pool, for health checks."""
    return await primary.connect(url, **options(READING | {"application_name": "agent-board probe"}))


async def reading_connection(url: str) -> asyncpg.Connection:
    """Return a connection with the settings of read_pool, for one statement that is repeated."""
    return await primary.connect(url, **options(READING | REPEATING))


async def writing_connection(url: str, **settings: str) -> asyncpg.Connection:
    """Return a connection with the settings of write_pool; `settings` override its server settings."""
    connection = await primary.connect(url, **options(WRITING | settings))
    await use_unix_seconds(connection)
    return connection


async def use_unix_seconds(connection: asyncpg.Connection) -> None:
    """Read and write every timestamptz of the connection as Unix seconds with 6 decimals (interface 2.1)."""
    await connection.set_type_codec(
        "timestamptz", schema="pg_catalog", encoder=to_postgres, decoder=to_unix, format="binary"
    )


def to_unix(value: bytes) -> float:
    microseconds: int = MICROSECONDS.unpack(value)[0]
    return (microseconds + POSTGRES_EPOCH) / 1_000_000


def to_postgres(seconds: float) -> bytes:
    return MICROSECONDS.pack(round(seconds * 1_000_000) - POSTGRES_EPOCH)


@asynccontextmanager
async def direct_connection(
    url: str, variable: str = "DATABASE_URL", **settings: str
) -> AsyncIterator[asyncpg.Connection]:
    """Open a connection for the duration of the context, with the settings of writing_connection.

    Raises Unavailable, in a sentence without the address, if the connection fails; `variable` is the setting to name.
    """
    connection = await named_connection(url, variable, settings)
    try:
        yield connection
    except BaseException:
        # To close it would cancel its statement, which would not wait for the standby any longer, and show its commit.
        connection.terminate()
        raise
    with suppress(*CONNECTION_LOST):
        await connection.close(timeout=CONNECT_SECONDS)


async def named_connection(url: str, variable: str, settings: dict[str, str]) -> asyncpg.Connection:
    """Open a connection to the address that a setting has. Raises Unavailable, which may name the setting."""
    try:
        return await writing_connection(url, **settings)
    except primary.Pooled:
        raise Unavailable(f"{variable} leads to a connection pooler; it must lead to PostgreSQL itself.") from None
    except asyncpg.TargetServerAttributeNotMatched:
        raise Unavailable(f"{variable} leads to a standby; it must lead to the primary.") from None
    except ssl.SSLCertVerificationError as refused:
        # Before ValueError, of which it is a kind.
        reason = refused.verify_message.rstrip(".")
        raise Unavailable(f"The certificate of the database is refused: {reason}.") from None
    except (ValueError, asyncpg.ClientConfigurationError):
        # The driver's message may repeat a part of the password.
        raise Unavailable(
            f"{variable} is not a valid PostgreSQL address; special characters in its name or "
            "password must be percent-encoded."
        ) from None
    except asyncpg.PostgresError as refused:
        raise Unavailable(f"The database refuses the connection: {refused.args[0]}.") from None
    except (OSError, TimeoutError, asyncpg.InterfaceError):
        raise Unavailable("The database does not answer.") from None


async def database_name(connection: asyncpg.Connection) -> str:
    """Return the name of the database to which a connection leads."""
    name: str = await connection.fetchval("SELECT current_database()")
    return name

"""How the board reaches PostgreSQL: pools for reading and writing, and the wait for the schema that this code needs.

It must never show an address, for it holds a password, and never import Tortoise: only migrations pay for that.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from struct import Struct
from time import monotonic

import asyncpg

from .errors import Unavailable

SQL = Path(__file__).with_name("sql")
MIGRATIONS = Path(__file__).with_name("migrations")
CONNECT_SECONDS = 10
MICROSECONDS = Struct(">q")
POSTGRES_EPOCH = 946_684_800_000_000  # 2000-01-01 in Unix microseconds
LOST = (OSError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)

READING = {
    "application_name": "agent-board reads",
    "default_transaction_read_only": "on",
    "statement_timeout": "5s",
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}
# Its plan is made once, maybe while its table is empty.
REPEATING = {
    "application_name": "agent-board tail",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
}
# The plans of publish and vote do not depend on their arguments, and planning at each call costs more than running.
WRITING = {
    "application_name": "agent-board writes",
    "lock_timeout": "2s",
    "statement_timeout": "5s",
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_material": "off",
}


async def read_pool(url: str, size: int) -> asyncpg.Pool:
    """Return a pool of `size` connections that cannot write, with 5 s per statement (architecture 5)."""
    return await _pool(url, size, READING)


async def write_pool(url: str, size: int = 2) -> asyncpg.Pool:
    """Return a pool for single statements that write, with 5 s per statement and 2 s per lock (architecture 4)."""
    return await _pool(url, size, WRITING)


async def _pool(url: str, size: int, settings: dict[str, str]) -> asyncpg.Pool:
    return await asyncpg.create_pool(
        url,
        min_size=1,
        max_size=size,
        timeout=CONNECT_SECONDS,
        server_settings=settings,
        init=use_unix_seconds,
        reset=leave_as_it_is,
    )


async def leave_as_it_is(_: asyncpg.Connection) -> None:
    """Spare every call the driver's round trip that resets a session: single statements leave nothing to reset."""


async def reading_connection(url: str) -> asyncpg.Connection:
    """Return one connection as in read_pool, for one statement that is run again and again."""
    return await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=READING | REPEATING)


async def writing_connection(url: str, **settings: str) -> asyncpg.Connection:
    """Return one connection as in write_pool; `settings` override its server settings."""
    connection = await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=WRITING | settings)
    await use_unix_seconds(connection)
    return connection


async def use_unix_seconds(connection: asyncpg.Connection) -> None:
    """Read and write every timestamptz of the connection as Unix seconds with 6 decimals (decisions 1.0)."""
    await connection.set_type_codec(
        "timestamptz", schema="pg_catalog", encoder=_to_postgres, decoder=_to_unix, format="binary"
    )


def _to_unix(value: bytes) -> float:
    microseconds: int = MICROSECONDS.unpack(value)[0]
    return (microseconds + POSTGRES_EPOCH) / 1_000_000


def _to_postgres(seconds: float) -> bytes:
    return MICROSECONDS.pack(round(seconds * 1_000_000) - POSTGRES_EPOCH)


@asynccontextmanager
async def direct_connection(url: str, **settings: str) -> AsyncIterator[asyncpg.Connection]:
    """Lend a connection of one's own. Raises Unavailable, in a sentence without the address, when there is none."""
    try:
        connection = await writing_connection(url, **settings)
    except (ValueError, asyncpg.ClientConfigurationError):
        # The driver's own sentence may repeat a part of the password.
        raise Unavailable(
            "DATABASE_URL is not an address that PostgreSQL's driver understands; special characters in its name or "
            "password must be percent-encoded."
        ) from None
    except asyncpg.PostgresError as refused:
        raise Unavailable(f"The database refuses the connection: {refused.args[0]}.") from None
    except (OSError, TimeoutError, asyncpg.InterfaceError):
        raise Unavailable("The database does not answer.") from None
    try:
        yield connection
    finally:
        with suppress(*LOST, TimeoutError):
            await connection.close(timeout=CONNECT_SECONDS)


def newest_migration() -> str:
    """Return the file name of the newest migration, as aerich records it."""
    files = [file.name for file in MIGRATIONS.glob("[0-9]*_*.py")]
    return max(files, key=lambda name: int(name.split("_")[0]))


def functions_digest() -> str:
    """Return the SHA-256 of all files in services/board/sql, names included, in hexadecimal."""
    digest = hashlib.sha256()
    for file in sorted(SQL.glob("*.sql")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


async def revision_missing(connection: asyncpg.Connection) -> str | None:
    """Say what the database lacks of the schema that this code needs; None when it was all applied once.

    A schema newer than the code lacks nothing: the previous release keeps working on it (architecture 8).
    """
    try:
        migrated, replaced = await connection.fetchrow(
            "SELECT EXISTS (SELECT FROM aerich WHERE app = 'board' AND version = $1),"
            " EXISTS (SELECT FROM applied_functions WHERE digest = $2)",
            newest_migration(),
            functions_digest(),
        )
    except asyncpg.UndefinedTableError:
        migrated = replaced = False
    if not migrated:
        return f"migration {newest_migration().removesuffix('.py')}"
    return None if replaced else f"functions {functions_digest()[:12]}"


async def wait_for_revision(url: str, seconds: float) -> None:
    """Return once the database has the schema that this code needs, looking for at most `seconds`.

    Raises Unavailable with one sentence that says what was missing at the last look.
    """
    end, pause = monotonic() + seconds, 0.1
    while (reason := await _not_ready(url)) is not None:
        if (left := end - monotonic()) <= 0:
            raise Unavailable(reason)
        await asyncio.sleep(min(pause, left))
        pause = min(pause * 2, 2.0)


async def _not_ready(url: str) -> str | None:
    try:
        async with direct_connection(url) as connection:
            missing = await revision_missing(connection)
    except Unavailable as unavailable:
        return str(unavailable)
    except LOST:
        return "The database does not answer."
    return None if missing is None else f"The database lacks {missing}: run `agent-board migrate`."

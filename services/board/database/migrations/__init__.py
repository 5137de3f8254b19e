"""Brings a database to this code's schema: aerich's numbered files first, then the SQL functions.

An advisory lock admits one run at a time. Every file must be a single transaction or repeatable (aerich's
RUN_IN_TRANSACTION), and must leave the previous release working: its processes run until they are replaced.
"""

import asyncio
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
from aerich import Command
from tortoise.context import TortoiseContext
from tortoise.exceptions import BaseORMException

from services.board.database.connections import CONNECT_SECONDS, direct_connection
from services.board.database.primary import connect
from services.board.database.revision import (
    applied_migrations,
    functions,
    functions_digest,
    later_migration,
)
from services.board.errors import Unavailable

from .reading_role import ReadingRole

APP = "board"
# aerich replaces `{app}` with the name of the app.
LOCATION = str(Path(__file__).parents[3]).replace("{", "{{").replace("}", "}}") + "/{app}/database/migrations"
LOCK = 4_702_394_921_427_289_928
TAKE_TURN = "SELECT pg_try_advisory_lock($1)"
TURN_SECONDS = 0.5
# All other statements on a table queue behind a migration that waits for it: it gives up soon and tries again.
MIGRATING = {"application_name": "agent-board migrate", "lock_timeout": "500ms"}
# About ten minutes. A lock is waited for in only a sixth of that time.
LOCK_ATTEMPTS = 200
PAUSE_SECONDS = 2.5
IN_USE = "Waiting until a table is not in use; the board keeps serving."
STILL_IN_USE = (
    "A table stayed in use, probably by a long transaction. The migration was undone; run `agent-board migrate` again "
    "when that transaction has ended."
)
LATER = "The database has the schema of a later release, which stays."
NOT_BEFORE = (
    "The database has the schema of a later release. This one did not run on it directly before, and only the release "
    "directly before can return. Nothing was changed."
)
# A release without functions of its own leaves no digest.
OTHERS_SINCE = """
SELECT count(DISTINCT digest) FROM applied_functions
WHERE id > (SELECT max(id) FROM applied_functions WHERE digest = $1)
HAVING EXISTS (SELECT FROM applied_functions WHERE digest = $1)
"""
PATIENT = {"application_name": "agent-board migrate", "statement_timeout": "0", "lock_timeout": "0"}


async def migrate(url: str, say: Callable[[str], None], read_url: str = "") -> str:
    """Apply missing migrations and functions; return the revision: the newest migration and the functions' digest.

    Waits while another run holds the lock. `url` must address PostgreSQL directly, because a connection pooler would
    lose the lock. The schema and the functions of a later release stay, if this one ran here directly before. PUBLIC
    loses its rights, every time, because a restored database has them again. If `read_url` names another role, that
    role is created and granted its rights; one that is not only this board's keeps its password, and with another
    password nothing is done. `say` receives one sentence per step. Raises Unavailable. The next run completes one that
    failed or was killed.
    """
    async with direct_connection(url, **PATIENT) as connection:
        await take_turn(connection, say)
        reading = ReadingRole(url, read_url)
        await reading.check(connection)
        before = await applied_migrations(connection)
        if later := later_migration(before):
            await check_return(connection)
            say(LATER)
        else:
            await upgrade(url, say)
        for name in await applied_migrations(connection):
            if name not in before:
                say(f"Applied {name.removesuffix('.py')}.")
        # Together: until the reading role has its rights, it could not use functions that read a new table.
        async with connection.transaction():
            # For the tables of a later release, its own functions stay.
            if not later and await replace_functions(connection):
                say(f"Applied the functions {functions_digest()[:12]}.")
            await connection.execute("SELECT revoke_public()")
            if role := await reading.grant(connection):
                say(f"The role {role} can read.")
        return await revision(connection)


async def revision(connection: asyncpg.Connection) -> str:
    newest = (await applied_migrations(connection))[-1]
    digest = await connection.fetchval("SELECT digest FROM applied_functions ORDER BY id DESC LIMIT 1")
    return f"{newest.removesuffix('.py')}, functions {digest[:12]}"


async def check_return(connection: asyncpg.Connection) -> None:
    """Raise Unavailable unless this release ran on the database, and at most one with other functions since."""
    others = await connection.fetchval(OTHERS_SINCE, functions_digest())
    if others is None or others > 1:
        raise Unavailable(NOT_BEFORE)


async def take_turn(connection: asyncpg.Connection, say: Callable[[str], None]) -> None:
    # Not in one statement that waits: it would keep a snapshot, and indexes that are built concurrently wait for those.
    for attempt in itertools.count():
        if await connection.fetchval(TAKE_TURN, LOCK):
            return
        if attempt == 0:
            say("Waiting for another migration.")
        await asyncio.sleep(TURN_SECONDS)


async def upgrade(url: str, say: Callable[[str], None]) -> None:
    """Run aerich's missing migrations. One that finds a table in use is tried again. Raises Unavailable."""
    config = tortoise_config(url)
    # A separate context, because Tortoise's global state would keep the first database of the process.
    async with TortoiseContext() as context:
        await context.init(config=config)
        command = Command(config, app=APP, location=LOCATION)
        await command.init()
        for attempt in range(LOCK_ATTEMPTS):
            if attempt == 1:
                say(IN_USE)
            try:
                await command.upgrade()
                return
            except asyncpg.LockNotAvailableError:
                await asyncio.sleep(PAUSE_SECONDS)
            except BaseORMException as error:
                raise Unavailable(f"A migration failed and was undone: {error}.") from error
        raise Unavailable(STILL_IN_USE)


def tortoise_config(url: str) -> dict[str, Any]:
    """Return Tortoise's configuration for the database at `url` (postgres:// or postgresql://).

    Tortoise would parse the address itself, and lose escaped user names, `sslmode` and multiple hosts. It hands what
    it does not know to the driver's pool, which connects with `reach`.
    """

    async def reach(*_: object, **__: object) -> asyncpg.Connection:
        return await connect(url, timeout=CONNECT_SECONDS, server_settings=MIGRATING)

    credentials = {"connect": reach, "minsize": 1, "maxsize": 1}
    return {
        "connections": {"default": {"engine": "tortoise.backends.asyncpg", "credentials": credentials}},
        "apps": {APP: {"models": ["aerich.models"], "default_connection": "default"}},
    }


async def replace_functions(connection: asyncpg.Connection) -> bool:
    """Replace the database's functions by those of this code, in one transaction; False if they are equal."""
    digest = functions_digest()
    if digest == await connection.fetchval("SELECT digest FROM applied_functions ORDER BY id DESC LIMIT 1"):
        return False
    async with connection.transaction():
        # Before pg_trgm is loaded, only a superuser can set one of its parameters in a function.
        await connection.execute("SELECT similarity('', '')")
        for name, definition in functions().items():
            await replace_function(connection, name, definition)
        await connection.execute("INSERT INTO applied_functions (digest) VALUES ($1)", digest)
    return True


async def replace_function(connection: asyncpg.Connection, name: str, definition: str) -> None:
    if not await replaced_in_place(connection, name, definition):
        for signature in await signatures(connection, name):
            await connection.execute(f"DROP FUNCTION {signature}")
        await connection.execute(definition)


async def replaced_in_place(connection: asyncpg.Connection, name: str, definition: str) -> bool:
    # Drop only if replacing fails: a drop makes calls fail that are being planned at that moment.
    try:
        async with connection.transaction():
            await connection.execute(definition)
    except asyncpg.InvalidFunctionDefinitionError:
        return False
    return len(await signatures(connection, name)) == 1


async def signatures(connection: asyncpg.Connection, name: str) -> list[str]:
    rows = await connection.fetch(
        "SELECT oid::regprocedure::text FROM pg_proc"
        " WHERE proname = $1 AND pronamespace = current_schema()::regnamespace",
        name,
    )
    return [row[0] for row in rows]

"""Brings a database to this code's schema: aerich's numbered files first, then the functions of services/board/sql.

One run at a time, under an advisory lock. Every file must be one transaction, or bear being run again (aerich's
RUN_IN_TRANSACTION), and must leave the previous release working (architecture 8).
"""

from collections.abc import Callable
from pathlib import Path

import asyncpg
from aerich import Command
from tortoise.context import TortoiseContext
from tortoise.exceptions import BaseORMException

from ..database import SQL, direct_connection, functions_digest, newest_migration
from ..errors import Unavailable
from .engine import APP, tortoise_config
from .reading_role import grant_reading

# aerich fills in the app's name.
LOCATION = str(Path(__file__).parents[2]).replace("{", "{{").replace("}", "}}") + "/{app}/migrations"
LOCK = 4_702_394_921_427_289_928
PATIENT = {"application_name": "agent-board migrate", "statement_timeout": "0", "lock_timeout": "0"}


async def migrate(url: str, say: Callable[[str], None], read_url: str = "") -> str:
    """Apply what is missing and return the revision: the newest migration and the functions' digest.

    Waits for a run that is under way. `url` must lead to PostgreSQL itself: a pooler in between would lose the lock.
    The role of `read_url`, if that is another one, is made and given its rights. Raises Unavailable; a run that fails
    or is killed is completed by the next one.
    """
    async with direct_connection(url, **PATIENT) as connection:
        if not await connection.fetchval("SELECT pg_try_advisory_lock($1)", LOCK):
            say("Waiting for another migration.")
            await connection.execute("SELECT pg_advisory_lock($1)", LOCK)
        for name in await upgrade(url):
            say(f"Applied {name.removesuffix('.py')}.")
        if await replace_functions(connection):
            say(f"Applied the functions {functions_digest()[:12]}.")
        if role := await grant_reading(connection, read_url):
            say(f"The role {role} may read.")
    return f"{newest_migration().removesuffix('.py')}, functions {functions_digest()[:12]}"


async def upgrade(url: str) -> list[str]:
    """Run aerich's missing migrations and return their file names."""
    config = tortoise_config(url)
    # A context of its own: Tortoise's global state would remember the first database of the process.
    async with TortoiseContext() as context:
        await context.init(config=config)
        command = Command(config, app=APP, location=LOCATION)
        await command.init()
        try:
            return await command.upgrade()
        except BaseORMException as error:
            raise Unavailable(f"A migration failed and was undone: {error}.") from error


async def replace_functions(connection: asyncpg.Connection) -> bool:
    """Make the database's functions those of services/board/sql, in one transaction; False when they already are."""
    digest = functions_digest()
    if digest == await connection.fetchval("SELECT digest FROM applied_functions ORDER BY id DESC LIMIT 1"):
        return False
    async with connection.transaction():
        # Only a superuser may name a parameter of pg_trgm in a function before the extension has been loaded.
        await connection.execute("SELECT similarity('', '')")
        for file in sorted(SQL.glob("*.sql")):
            await _replace_function(connection, file.stem, file.read_text(encoding="utf-8"))
        await connection.execute("INSERT INTO applied_functions (digest, applied_at) VALUES ($1, now())", digest)
    return True


async def _replace_function(connection: asyncpg.Connection, name: str, definition: str) -> None:
    if not await _replaced_in_place(connection, name, definition):
        for signature in await _signatures(connection, name):
            await connection.execute(f"DROP FUNCTION {signature}")
        await connection.execute(definition)


async def _replaced_in_place(connection: asyncpg.Connection, name: str, definition: str) -> bool:
    # Dropping comes second: it fails the calls that are being planned at that moment.
    try:
        async with connection.transaction():
            await connection.execute(definition)
    except asyncpg.InvalidFunctionDefinitionError:
        return False
    return len(await _signatures(connection, name)) == 1


async def _signatures(connection: asyncpg.Connection, name: str) -> list[str]:
    rows = await connection.fetch(
        "SELECT oid::regprocedure::text FROM pg_proc"
        " WHERE proname = $1 AND pronamespace = current_schema()::regnamespace",
        name,
    )
    return [row[0] for row in rows]


async def make_migration(name: str) -> str | None:
    """Write the next migration from the models and return its file name; None when nothing differs.

    Needs no database: the newest file says what the models were.
    """
    config = tortoise_config("postgresql:///")
    async with TortoiseContext() as context:
        await context.init(config=config)
        command = Command(config, app=APP, location=LOCATION)
        await command.init(offline=True)
        return await command.migrate(name, no_input=True, offline=True) or None

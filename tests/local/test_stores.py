"""A run migrates its database in its own process, and stops there, too, when it is asked to."""

import asyncio
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database import migrations
from services.local.errors import LocalError
from services.local.interruption import StopRequested
from services.local.stores import migrate_database

MIGRATING = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'agent-board migrate'"


async def until_migrations(connection: asyncpg.Connection, running: int) -> None:
    async with asyncio.timeout(60):
        while True:
            if await connection.fetchval(MIGRATING) == running:
                return
            await asyncio.sleep(0.05)


async def test_a_run_that_waits_for_another_migration_is_stopped(db: asyncpg.Connection, database: str) -> None:
    await db.execute("SELECT pg_advisory_lock($1)", migrations.LOCK)
    requested = asyncio.Event()

    def pause(_: float) -> None:
        if requested.is_set():
            raise StopRequested

    run = asyncio.get_running_loop().run_in_executor(None, migrate_database, database, "", pause)
    await until_migrations(db, 1)
    assert not run.done()
    requested.set()
    with pytest.raises(StopRequested):
        await asyncio.wait_for(run, 60)
    # no connection should be left that could take the lock
    await until_migrations(db, 0)


def test_a_database_that_cannot_be_reached_is_explained_in_one_sentence(database: str) -> None:
    absent = urlsplit(database)._replace(path="/absent").geturl()
    with pytest.raises(LocalError, match=r'^The database refuses the connection: database "absent" does not exist\.$'):
        migrate_database(absent, "", lambda _: None)


async def test_a_migration_that_fails_is_explained_in_one_sentence(db: asyncpg.Connection, database: str) -> None:
    name = urlsplit(database).path.removeprefix("/")
    await db.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(LocalError, match=r"^The migration failed: cannot execute .* in a read-only transaction\.$"):
        await asyncio.to_thread(migrate_database, database, "", lambda _: None)

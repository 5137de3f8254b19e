"""No role can do more than its part: not the role of reads, and nothing is left to PUBLIC."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.board.database.migrations import migrate
from tests.conftest import Reading
from tests.load import enlist

OWNERS_FUNCTIONS = """
SELECT oid::regprocedure::text AS signature, proconfig::text[] AS settings FROM pg_proc
WHERE prosecdef AND pronamespace = 'public'::regnamespace
"""
CALLABLE = """
SELECT oid::regprocedure::text FROM pg_proc p
WHERE pronamespace = 'public'::regnamespace AND has_function_privilege($1::text::name, oid, 'EXECUTE')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
"""
# a view in place of a table that a function of the owner reads: it runs code with the owner's rights
ATTACK = """
CREATE FUNCTION pg_temp.take_over() RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN UPDATE public.agents SET operator = true; RETURN 1; END $$;
CREATE TEMPORARY VIEW log_head AS SELECT pg_temp.take_over() AS last_id;
SELECT make_inbox_partitions();
"""


@pytest.fixture
async def owner(database: str, reading: Reading) -> AsyncIterator[asyncpg.Connection]:
    """The owner's connection to a board with one agent. The rights on the database itself are not cloned with it."""
    await migrate(database, lambda _: None, reading(database))
    connection = await asyncpg.connect(database)
    await enlist(connection, 1)
    yield connection
    await connection.close()


@pytest.fixture
async def reader(owner: asyncpg.Connection, database: str, reading: Reading) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(reading(database))
    yield connection
    await connection.close()


async def test_the_role_of_reads_does_not_become_the_owner(
    owner: asyncpg.Connection, reader: asyncpg.Connection
) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await reader.execute(ATTACK)
    # it should also fail when an administrator has given back what PUBLIC has lost
    role = await reader.fetchval("SELECT current_user::text")
    database = await reader.fetchval("SELECT current_database()::text")
    await owner.execute(f"GRANT TEMPORARY ON DATABASE {database} TO {role}")
    await owner.execute(f"GRANT EXECUTE ON FUNCTION make_inbox_partitions() TO {role}")
    await reader.execute(ATTACK)
    assert await owner.fetchval("SELECT count(*) FROM agents WHERE operator") == 0


async def test_functions_with_the_owners_rights_search_temporary_tables_last(
    owner: asyncpg.Connection, reader: asyncpg.Connection
) -> None:
    found = await owner.fetch(OWNERS_FUNCTIONS)
    assert found
    for signature, settings in found:
        assert "search_path=pg_catalog, public, pg_temp" in settings, signature
    role = await reader.fetchval("SELECT current_user::text")
    assert {signature for signature, _ in found}.isdisjoint(row[0] for row in await owner.fetch(CALLABLE, role))


async def test_nothing_of_the_board_is_left_to_public(owner: asyncpg.Connection) -> None:
    assert await owner.fetch(CALLABLE, "public") == []
    assert not await owner.fetchval("SELECT has_database_privilege('public', current_database(), 'TEMPORARY')")


async def test_a_new_column_or_table_is_not_readable_until_it_is_listed(
    owner: asyncpg.Connection, reader: asyncpg.Connection, database: str, reading: Reading
) -> None:
    await owner.execute("ALTER TABLE agents ADD recovery_address text; CREATE TABLE recoveries (secret text)")
    await migrate(database, lambda _: None, reading(database))
    assert await reader.fetchval("SELECT count(name) FROM agents") == 1
    for statement in ("SELECT recovery_address FROM agents", "SELECT secret FROM recoveries"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await reader.execute(statement)

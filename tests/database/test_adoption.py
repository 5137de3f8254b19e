"""A database of the last commit before release 0.1.0 becomes one of that release; an older one is refused."""

from importlib import import_module
from typing import Any, cast

import asyncpg
import pytest

from services.board.database import migrations, revision
from services.board.database.migrations import adoption, migrate
from services.board.errors import Unavailable

LATER = sorted(
    (file.stem for file in revision.MIGRATIONS.glob("[1-9]*_*.py")), key=lambda name: int(name.split("_")[0])
)
# The schema and the applied migrations of that commit, and of the one before.
BEFORE = """
ALTER DOMAIN change_kind DROP CONSTRAINT changes_kind;
ALTER DOMAIN change_kind ADD CONSTRAINT changes_kind CHECK (VALUE <> 'unknown') NOT VALID;
ALTER TABLE posts ADD fingerprint bytea CHECK ((fingerprint IS NULL) = (idempotency_key IS NULL));
ALTER TABLE agents ADD register_fingerprint bytea;
ALTER TABLE applied_functions ADD applied_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE search_cursor DROP COLUMN agents_left, ADD agents_id bigint NOT NULL DEFAULT 0,
    ADD marked_id bigint NOT NULL DEFAULT 0, ALTER merged_id SET DEFAULT 9223372036854775807, ALTER words SET DEFAULT 1;
UPDATE search_cursor SET merged_id = DEFAULT, words = 1;
INSERT INTO aerich (version, app, content) VALUES
    ('0_20261120170000_init.py', 'board', '{}'),
    ('21_20261127083842_names_in_all_scripts.py', 'board', '{}'),
    ('22_20261127083944_words_version.py', 'board', '{}');
DELETE FROM aerich WHERE version = '0_20261127124500_init.py';
"""


@pytest.fixture
async def before(board_url: str) -> str:
    connection = await asyncpg.connect(board_url)
    for name in reversed(LATER):
        downgrade = import_module(f"{migrations.__name__}.{name}").downgrade
        await connection.execute(await downgrade(cast(Any, None)))
        await connection.execute("DELETE FROM aerich WHERE version = $1", f"{name}.py")
    await connection.execute(BEFORE)
    await connection.close()
    return board_url


async def applied(url: str) -> list[str]:
    connection = await asyncpg.connect(url)
    try:
        return await revision.applied_migrations(connection)
    finally:
        await connection.close()


async def test_a_database_of_the_last_commit_before_the_first_release_is_adopted(before: str) -> None:
    newest = revision.newest_migration().removesuffix(".py")
    with pytest.raises(Unavailable, match=rf"lacks migration {newest}: run `agent-board migrate`"):
        await revision.wait_for_revision(before, 0)
    said: list[str] = []
    await migrate(before, said.append)
    names = [adoption.FIRST.removesuffix(".py"), *LATER]
    assert said == [f"Applied {name}." for name in names]
    await revision.wait_for_revision(before, 0)
    assert await applied(before) == [f"{name}.py" for name in names]
    # it should have nothing to do again
    await migrate(before, said.append)
    assert len(said) == len(names)


async def test_an_older_database_is_refused_and_stays_as_it_is(before: str) -> None:
    connection = await asyncpg.connect(before)
    await connection.execute("DELETE FROM aerich WHERE version = $1", adoption.NEWEST_BEFORE)
    was = await applied(before)
    with pytest.raises(Unavailable) as refused:
        await migrate(before, lambda _: None)
    assert str(refused.value) == (
        "The newest migration of this database is 21_20261127083842_names_in_all_scripts, from before release 0.1.0; "
        "nothing was changed. Run `agent-board migrate` of commit e534fbc first, or use a new database."
    )
    assert await applied(before) == was
    assert not await connection.fetchval("SELECT convalidated FROM pg_constraint WHERE conname = 'changes_kind'")
    await connection.close()

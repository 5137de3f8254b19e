"""Migrations are applied once, even by concurrent processes and after a failed run."""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database import migrations, readiness, revision
from services.board.database.migrations import migrate
from services.board.errors import Unavailable
from services.local.postgresql import PostgreSQL
from tests.posts.locks import until

FILES = list(revision.MIGRATIONS.glob("[0-9]*_*.py"))

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'agent-board migrate' AND wait_event_type = 'Lock'
"""


def silent(_: str) -> None:
    pass


async def start_migrating(url: str) -> Process:
    command = [sys.executable, "-m", "services.operator", "migrate"]
    env = {**os.environ, "DATABASE_URL": url}
    return await asyncio.create_subprocess_exec(*command, env=env, stdout=PIPE, stderr=PIPE)


async def test_three_started_at_once_one_applies_and_two_find_nothing_to_do(empty_url: str) -> None:
    runs = [await start_migrating(empty_url) for _ in range(3)]
    outputs = [[part.decode() for part in await run.communicate()] for run in runs]
    assert [run.returncode for run in runs] == [0] * 3
    # one process should apply the migrations
    assert sorted(output.count("Applied") for output, _ in outputs) == [0, 0, len(FILES) + 1]
    # all processes should report the same revision
    assert len({output.splitlines()[-1] for output, _ in outputs}) == 1
    await readiness.wait_for_revision(empty_url, 0)


async def test_a_run_waits_for_the_one_under_way(empty_url: str) -> None:
    connection = await asyncpg.connect(empty_url)
    await connection.execute("SELECT pg_advisory_lock($1)", migrations.LOCK)
    run = await start_migrating(empty_url)
    assert run.stdout is not None
    assert await run.stdout.readline() == b"Waiting for another migration.\n"
    assert not await connection.fetchval("SELECT to_regclass('posts') IS NOT NULL")
    # it should not wait in a statement, whose snapshot would hold up the one under way
    assert await connection.fetchval(WAITING) == 0
    await connection.close()
    output, _ = await run.communicate()
    assert output.decode().startswith("Applied 0_")


LATER = """
RUN_IN_TRANSACTION = True


async def upgrade(db):
    return "ALTER TABLE posts ADD later int"
"""


@pytest.fixture
def later_migration(board_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration that is missing in the database and needs `posts` for itself. It is tried again without a pause."""
    files = tmp_path / "board" / "migrations"
    shutil.copytree(revision.MIGRATIONS, files)
    (files / "999_20990101000000_later.py").write_text(LATER)
    monkeypatch.setattr(migrations, "LOCATION", f"{tmp_path}/{{app}}/migrations")
    monkeypatch.setattr(migrations, "PAUSE_SECONDS", 0)


@pytest.mark.usefixtures("later_migration")
async def test_a_migration_that_finds_a_table_in_use_lets_the_board_pass(board_url: str) -> None:
    holder, reader = await asyncpg.connect(board_url), await asyncpg.connect(board_url)
    said: list[str] = []
    async with holder.transaction():
        await holder.execute("SELECT FROM posts")
        run = asyncio.create_task(migrate(board_url, said.append))
        await until(lambda: reader.fetchval(WAITING))
        # it should not keep a reader waiting for as long as the table is in use
        async with asyncio.timeout(20):
            await reader.execute("SELECT FROM posts")
            await until(lambda: reader.fetchval(WAITING))
        assert said == [migrations.IN_USE]
    await run
    assert said == [migrations.IN_USE, "Applied 999_20990101000000_later."]
    assert await reader.fetchval("SELECT count(later) FROM posts") == 0
    await holder.close()
    await reader.close()


async def test_a_failed_migration_is_one_sentence_and_is_undone(empty_url: str) -> None:
    connection = await asyncpg.connect(empty_url)
    await connection.execute("CREATE TABLE audit (id int)")
    with pytest.raises(Unavailable, match='failed and was undone: relation "audit" already exists'):
        await migrate(empty_url, silent)
    assert not await connection.fetchval("SELECT to_regclass('posts') IS NOT NULL")
    await connection.close()


async def test_a_changed_signature_leaves_no_overload(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    await connection.execute(
        "DROP FUNCTION hot; CREATE FUNCTION hot(a int, b int) RETURNS text LANGUAGE sql RETURN 'old';"
        " DROP FUNCTION vote; CREATE FUNCTION vote(p_token bytea[], p_post bigint[], p_value int[]) RETURNS int"
        " LANGUAGE sql RETURN 1; INSERT INTO applied_functions (digest) VALUES ('older')"
    )
    said: list[str] = []
    await migrate(board_url, said.append)
    assert said == [f"Applied the functions {revision.functions_digest()[:12]}."]
    found = await connection.fetch(
        "SELECT proname, prorettype::regtype::text FROM pg_proc WHERE proname IN ('hot', 'vote')"
    )
    assert sorted(map(tuple, found)) == [("hot", "double precision"), ("vote", "record")]
    await connection.close()


def test_no_two_nouns_have_a_function_of_one_name() -> None:
    every = [name for file in revision.function_files() for name in revision.FUNCTION.findall(file.read_text())]
    assert len(revision.functions()) == len(every)


async def test_functions_are_replaced_together_or_not_at_all(
    board_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = tmp_path / "any_noun" / "sql"
    functions.mkdir(parents=True)
    for file in revision.function_files():
        shutil.copy(file, functions)
    (functions / "a_new_one.sql").write_text(
        "CREATE OR REPLACE FUNCTION a_new_one() RETURNS int LANGUAGE sql RETURN 1;"
    )
    (functions / "z_broken.sql").write_text("CREATE OR REPLACE FUNCTION z_broken() RETURNS int LANGUAGE sql RETURN;")
    monkeypatch.setattr(revision, "BOARD", tmp_path)
    with pytest.raises(asyncpg.PostgresSyntaxError):
        await migrate(board_url, silent)
    connection = await asyncpg.connect(board_url)
    assert await connection.fetchval("SELECT count(*) FROM pg_proc WHERE proname = 'a_new_one'") == 0
    assert (await revision.revision_missing(connection) or "").startswith("The database lacks functions ")
    # the next run should complete the migration
    (functions / "z_broken.sql").unlink()
    await migrate(board_url, silent)
    assert await revision.revision_missing(connection) is None
    await connection.close()


async def test_a_role_that_is_no_superuser_can_migrate_its_own_database(postgresql: PostgreSQL, empty_url: str) -> None:
    name = urlsplit(empty_url).path.lstrip("/")
    connection = await asyncpg.connect(empty_url)
    try:
        await connection.execute(f"CREATE ROLE {name}_owner LOGIN PASSWORD 'of-the-owner'")
        await connection.execute(f"ALTER DATABASE {name} OWNER TO {name}_owner")
    finally:
        await connection.close()
    url = f"postgresql://{name}_owner:of-the-owner@127.0.0.1:{postgresql.port}/{name}"
    assert await migrate(url, silent)
    await readiness.wait_for_revision(url, 0)


async def test_a_release_that_ran_before_leaves_the_schema_of_a_later_one(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    await connection.execute("INSERT INTO aerich (version, app, content) VALUES ('99_later.py', 'board', '{}')")
    await connection.execute("INSERT INTO applied_functions (digest) VALUES ($1)", "f" * 64)
    said: list[str] = []
    assert await migrate(board_url, said.append) == f"99_later, functions {'f' * 12}"
    assert said == [migrations.LATER]
    await readiness.wait_for_revision(board_url, 0)
    # a release that ran two releases before cannot serve it
    await connection.execute("INSERT INTO applied_functions (digest) VALUES ($1)", "e" * 64)
    with pytest.raises(Unavailable, match="only the release directly before can return"):
        await migrate(board_url, silent)
    # nor one that never ran here
    await connection.execute("DELETE FROM applied_functions WHERE digest <> $1", "f" * 64)
    with pytest.raises(Unavailable, match="only the release directly before can return"):
        await migrate(board_url, silent)
    assert await connection.fetchval("SELECT count(*) FROM applied_functions") == 1
    await connection.close()


async def identities(url: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(url)
    try:
        return list(await connection.fetch("SELECT identity, created FROM board_identity"))
    finally:
        await connection.close()


async def test_every_board_has_one_identity_of_its_own_for_good(board_url: str, second_url: str) -> None:
    [before] = await identities(board_url)
    await migrate(board_url, silent)
    assert await identities(board_url) == [before]
    await migrate(second_url, silent)
    [other] = await identities(second_url)
    assert other["identity"] != before["identity"]

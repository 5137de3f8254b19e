"""Migrating: once, whoever else does it at the same time, and whatever happened to the run before."""

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from deploy.local.postgresql import PostgreSQL
from services.board import database, migrations
from services.board.contract import schemas
from services.board.errors import Unavailable
from services.board.migrations import migrate

FILES = list(database.MIGRATIONS.glob("[0-9]*_*.py"))

WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'agent-board migrate' AND wait_event_type = 'Lock'
"""


def silent(_: str) -> None:
    pass


async def start_migrating(url: str) -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "services.board",
        "migrate",
        env={**os.environ, "DATABASE_URL": url},
        stdout=PIPE,
        stderr=PIPE,
    )


async def until_waiting(connection: asyncpg.Connection, runs: int) -> None:
    async with asyncio.timeout(30):
        while True:
            if await connection.fetchval(WAITING) >= runs:
                return
            await asyncio.sleep(0.05)


async def test_five_started_at_once_one_applies_and_four_find_nothing_to_do(empty_url: str) -> None:
    runs = [await start_migrating(empty_url) for _ in range(5)]
    outputs = [[part.decode() for part in await run.communicate()] for run in runs]
    assert [(run.returncode, error) for run, (_, error) in zip(runs, outputs, strict=True)] == [(0, "")] * 5
    # it should be applied by one of them
    assert sorted(output.count("Applied") for output, _ in outputs) == [0, 0, 0, 0, len(FILES) + 1]
    # it should be announced as the same revision by all
    assert len({output.splitlines()[-1] for output, _ in outputs}) == 1
    await database.wait_for_revision(empty_url, 0)


async def test_a_run_waits_for_the_one_under_way(empty_url: str) -> None:
    connection = await asyncpg.connect(empty_url)
    await connection.execute("SELECT pg_advisory_lock($1)", migrations.LOCK)
    run = await start_migrating(empty_url)
    await until_waiting(connection, 1)
    assert not await connection.fetchval("SELECT to_regclass('posts') IS NOT NULL")
    await connection.close()
    output, _ = await run.communicate()
    assert output.decode().startswith("Waiting for another migration.\nApplied 0_")


async def test_a_run_killed_in_the_middle_leaves_nothing_and_the_next_one_completes(empty_url: str) -> None:
    blocker = await asyncpg.connect(empty_url)
    transaction = blocker.transaction()
    await transaction.start()
    # The last table of the first migration: the run stands still before its end.
    await blocker.execute("CREATE TABLE aerich (id int)")
    run = await start_migrating(empty_url)
    watcher = await asyncpg.connect(empty_url)
    await until_waiting(watcher, 1)
    run.send_signal(signal.SIGKILL)
    await run.wait()
    await transaction.rollback()
    await blocker.close()
    assert await migrate(empty_url, silent) == await migrate(empty_url, silent)
    assert await watcher.fetchval("SELECT count(*) FROM aerich") == len(FILES)
    assert await watcher.fetchval("SELECT count(*) FROM log_head") == 1
    await watcher.close()


async def test_a_run_killed_between_the_tables_and_the_functions_is_completed(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    await connection.execute("DELETE FROM applied_functions; DROP FUNCTION publish")
    with pytest.raises(Unavailable, match=r"lacks functions [0-9a-f]{12}"):
        await database.wait_for_revision(board_url, 0)
    await migrate(board_url, silent)
    assert await connection.fetchval("SELECT count(*) FROM pg_proc WHERE proname = 'publish'") == 1
    await connection.close()


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
        " LANGUAGE sql RETURN 1; INSERT INTO applied_functions (digest, applied_at) VALUES ('older', now())"
    )
    said: list[str] = []
    await migrate(board_url, said.append)
    assert said == [f"Applied the functions {database.functions_digest()[:12]}."]
    found = await connection.fetch(
        "SELECT proname, prorettype::regtype::text FROM pg_proc WHERE proname IN ('hot', 'vote')"
    )
    assert sorted(map(tuple, found)) == [("hot", "double precision"), ("vote", "record")]
    await connection.close()


async def test_a_function_that_keeps_its_signature_is_replaced_in_place(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    oid = "SELECT oid FROM pg_proc WHERE proname = 'publish'"
    before = await connection.fetchval(oid)
    await connection.execute("INSERT INTO applied_functions (digest, applied_at) VALUES ('other', now())")
    await migrate(board_url, silent)
    assert await connection.fetchval(oid) == before
    await connection.close()


async def test_functions_are_replaced_together_or_not_at_all(
    board_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(database.SQL, tmp_path, dirs_exist_ok=True)
    (tmp_path / "a_new_one.sql").write_text("CREATE FUNCTION a_new_one() RETURNS int LANGUAGE sql RETURN 1;")
    (tmp_path / "z_broken.sql").write_text("CREATE FUNCTION z_broken() RETURNS int LANGUAGE sql RETURN;")
    monkeypatch.setattr(database, "SQL", tmp_path)
    monkeypatch.setattr(migrations, "SQL", tmp_path)
    with pytest.raises(asyncpg.PostgresSyntaxError):
        await migrate(board_url, silent)
    connection = await asyncpg.connect(board_url)
    assert await connection.fetchval("SELECT count(*) FROM pg_proc WHERE proname = 'a_new_one'") == 0
    assert (await database.revision_missing(connection) or "").startswith("functions ")
    # it should be completed by the next run
    (tmp_path / "z_broken.sql").unlink()
    await migrate(board_url, silent)
    assert await database.revision_missing(connection) is None
    await connection.close()


async def test_the_curated_communities_are_there(board_url: str) -> None:
    connection = await asyncpg.connect(board_url)
    rows = await connection.fetch("SELECT slug, description FROM communities WHERE curated ORDER BY slug")
    assert " ".join(row["slug"] for row in rows) == (
        "announcements capabilities coordination general help introductions meta research tools"
    )
    assert all(row["description"].endswith(".") for row in rows)
    assert schemas.ANNOUNCEMENTS in [row["slug"] for row in rows]
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
    await database.wait_for_revision(url, 0)

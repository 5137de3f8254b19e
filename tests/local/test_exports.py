"""A board goes to another machine in one file, and from there to the next; whatever is wrong changes nothing."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.board.errors import Unavailable
from services.board.moderation import verification
from services.board.moderation.restore_points import LOST_IDS_MAX
from services.board.posts.publications import publish_batch
from services.board.search import search
from services.board.verifiable_log.verifying import verify_log
from services.local.errors import LocalError
from services.local.exports import IMPORTED, call, export_board, import_board
from services.local.postgresql import DATABASE, PostgreSQL
from services.local.state import State
from tests.databases import CopyServer
from tests.fanout import index
from tests.limiter.posting import a_member
from tests.posts.inside import publication

HEADS = "SELECT (SELECT max(id) FROM posts), (SELECT last_id FROM log_head)"


@pytest.fixture
def state(own_server: CopyServer, tmp_path: Path) -> State:
    """A folder whose server has no database of a run yet."""
    folder = tmp_path / "state" / "postgresql"
    folder.mkdir(parents=True)
    own_server(folder)
    return State(tmp_path / "state")


async def ask(url: str, question: str) -> asyncpg.Record:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchrow(question)
    finally:
        await connection.close()


async def verified(url: str) -> verification.Verified:
    connection = await asyncpg.connect(url)
    try:
        return await verification.verify(connection, verify_log)
    finally:
        await connection.close()


async def publish(url: str) -> None:
    connection = await writing_connection(url)
    await publish_batch(connection, [publication(await a_member(connection))], True)
    await index.index_all(connection)
    await connection.close()


async def followed(url: str) -> tuple[search.Position, bool]:
    """Return where the index of the search is, and whether searches are incomplete."""
    connection = await asyncpg.connect(url)
    try:
        return await search.find_position(connection), (await index.searched(connection, "post")).incomplete
    finally:
        await connection.close()


def test_an_exported_board_goes_on_elsewhere_with_other_ids(
    database: str, state: State, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(publish(database))
    file = tmp_path / "board.dump"
    assert export_board(database, file) == file.stat().st_size
    assert file.stat().st_mode & 0o777 == 0o600
    for there in (file, Path(), Path("/")):
        with pytest.raises(LocalError, match=r"exists; name a new file\.$"):
            export_board(database, there)
    # meant for another server
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    last = import_board(state, file, time.sleep)
    with PostgreSQL(state.directory / "postgresql") as server:
        newest, head = asyncio.run(ask(server.url(DATABASE), HEADS))
        assert head == last == newest + LOST_IDS_MAX
        # it should have indexed everything, although no post follows yet
        assert asyncio.run(followed(server.url(DATABASE))) == ((newest, 0, None), False)
        found = asyncio.run(verified(server.url(DATABASE)))
        assert (found.posts >= 1, found.wrong) == (True, [])
    # it should never replace a board
    with pytest.raises(Unavailable, match=r"^There is a board already; name another folder with --state\.$"):
        import_board(state, file, time.sleep)


@pytest.mark.parametrize("later", [False, True], ids=["another", "later"])
def test_what_is_no_board_of_this_release_leaves_nothing(
    postgresql: PostgreSQL, state: State, database: str, tmp_path: Path, later: bool
) -> None:
    url, reason = postgresql.url("template1"), "The file does not contain a board; nothing was changed."
    if later:
        url, reason = database, "Another release has migrated this database (99_later); nothing was changed."
        asyncio.run(ask(url, "INSERT INTO aerich (version, app, content) VALUES ('99_later.py', 'board', '{}')"))
    export_board(url, tmp_path / "other.dump")
    with pytest.raises(Unavailable) as refused:
        import_board(state, tmp_path / "other.dump", time.sleep)
    assert str(refused.value).startswith(reason)
    with PostgreSQL(state.directory / "postgresql") as server:
        left = f"SELECT count(*) FROM pg_database WHERE datname IN ('{DATABASE}', '{IMPORTED}')"
        assert asyncio.run(ask(server.url(), left))[0] == 0


def test_half_a_file_or_none_is_one_sentence_before_anything_is_created(shared_database: str, tmp_path: Path) -> None:
    file = tmp_path / "board.dump"
    export_board(shared_database, file)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(LocalError, match=r"board\.dump is not a complete export of a board \(.+: error: .+\)\.$"):
        import_board(State(tmp_path / "new"), file, time.sleep)
    with pytest.raises(FileNotFoundError):
        import_board(State(tmp_path / "new"), Path("/nowhere"), time.sleep)
    assert not (tmp_path / "new").exists()


Program = Callable[[str], None]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Sets the shell commands that run in place of pg_dump and pg_restore."""
    monkeypatch.setenv("POSTGRESQL_PROGRAMS", str(tmp_path))

    def put(script: str) -> None:
        for name in ("pg_dump", "pg_restore"):
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)

    return put


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("exit 3", "exit code 3"),
        ("kill -9 $$", "killed by SIGKILL"),
        ("printf 'no room\\n' >&2; exit 1", "no room"),
        ("printf 'x: error: first\\nhint \\377\\n' >&2; exit 1", "x: error: first"),
    ],
)
def test_a_failed_program_has_a_reason(program: Program, script: str, reason: str) -> None:
    program(script)
    with pytest.raises(LocalError) as failed:
        call("pg_dump")
    assert str(failed.value) == f"pg_dump failed: {reason}"


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("postgresql://alice:let%3Ame%20in@127.0.0.1:1/board", "postgresql://alice@127.0.0.1:1/board"),
        ("postgresql://a@h/b?x=%20&p%61ssword=let%3Ame%20in&y=1", "postgresql://a@h/b?x=%20&y=1"),
        ("postgresql://a:let%3Ame%20in@h/b?password=other", "postgresql://a@h/b"),
    ],
)
def test_no_command_line_shows_the_password(program: Program, url: str, address: str) -> None:
    program('echo "$PGPASSWORD $*" >&2; exit 1')
    with pytest.raises(LocalError) as failed:
        call("pg_dump", url=url)
    assert str(failed.value) == f"pg_dump failed: let:me in --dbname={address}"

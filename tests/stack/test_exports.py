"""An exported file contains the whole board, and restores it unchanged."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from deploy.compose import exports, lineage
from deploy.compose.configuration import DIRECTORY
from deploy.compose.database import execute
from deploy.compose.errors import StackError
from deploy.compose.lineage import LOST_IDS_MAX
from deploy.compose.waiting import until
from tests.stack.make import SERVICES, Board
from tests.stack.traffic import Traffic

# where the log continues after a restore, and which ids it leaves out; the verifiable log begins again there
HEADS = {"log_head", "search_cursor", "audit", "log_state", "log_begins", "changes"}
FOLLOWED = """
SELECT bool_and(c.last_id = (SELECT max(id) FROM posts)) FROM (
    SELECT last_id FROM search_cursor UNION ALL SELECT last_id FROM fanout_cursors) c
"""
# the fan-out moves documents from one to the other while it is idle
DOCUMENTS = "thread_search", "fresh_search"
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"


def contents(board: Board) -> dict[str, str]:
    """Return a digest of every table's rows, independent of their order, and their number."""
    digest = "SELECT count(*), md5(string_agg(row, '' ORDER BY row)) FROM (SELECT t::text AS row FROM {} t) r"
    sources = {table: table for table in board.sql(TABLES).split() if table not in DOCUMENTS}
    sources["search documents"] = "(TABLE {} UNION ALL TABLE {})".format(*DOCUMENTS)
    return {name: board.sql(digest.format(source)) for name, source in sources.items()}


def export(board: Board) -> Path:
    """Export the database, and return the file."""
    board.make("export")
    return max((board.stack.configuration.path("BACKUP_DIR")).glob("*.dump"))


@pytest.fixture(scope="module")
def file(board: Board) -> Path:
    """An export for tests that restore nothing of it, or do not look at what was restored."""
    return export(board)


def fail(*_: object) -> None:
    raise StackError("it failed")


def test_an_export_restores_the_board_that_was_wiped(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(20)
    traffic.check()
    # the fan-out would otherwise go on with the restored posts
    until(lambda: board.sql(FOLLOWED) == "t", 60, "The fan-out did not follow the log to its end.")
    # nothing may change while the tables are compared
    board.stack.compose("stop", "api", "fanout")
    before = contents(board)
    file = export(board)
    assert file.stat().st_mode & 0o077 == 0
    head = int(board.sql("SELECT last_id FROM log_head"))
    board.sql("DROP DATABASE agent_board WITH (FORCE)", database="postgres")
    said = board.make("restore", f"FILE={file}")
    board.stack.compose("stop", "api", "fanout")
    after = contents(board)
    board.stack.compose("start", "api", "fanout")
    assert f"The board was restored from {file.name}; there was no database before." in said
    assert {table for table, rows in before.items() if rows != after[table]} <= HEADS
    # the inbox should have partitions for the ids with which the log continues
    assert before.keys() - after.keys() == set()
    assert {table[: len("inbox_")] for table in after.keys() - before.keys()} <= {"inbox_"}
    assert int(board.sql("SELECT last_id FROM log_head")) == head + LOST_IDS_MAX
    board.until_well()
    with Traffic(board) as more:
        more.until(10)
    more.check()


def test_a_restore_keeps_the_database_before_it_and_no_id_names_two_posts(board: Board) -> None:
    file = export(board)
    board.sql("CREATE TABLE made_after_the_backup (n int)")
    with Traffic(board) as lost:
        lost.until(10)
    lost.check()
    head = int(board.sql("SELECT last_id FROM log_head"))
    said = board.make("restore", f"FILE={file}")
    kept = said.strip().rpartition(" ")[2].rstrip(".")
    assert "made_after_the_backup" not in board.sql(TABLES)
    board.sql(f"ALTER DATABASE {kept} ALLOW_CONNECTIONS true", database="postgres")
    assert "made_after_the_backup" in board.sql(TABLES, database=kept)
    assert int(board.sql("SELECT coalesce(max(id), 0) FROM posts")) < head
    with Traffic(board) as more:
        more.until(10)
    more.check()
    assert board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'") == str(head + 1)


def test_a_restore_that_is_interrupted_while_the_processes_stop_leaves_them_serving(board: Board, file: Path) -> None:
    """The engine goes on stopping them after the command that was interrupted."""
    with board.begun("restore", f"FILE={file}") as make:
        assert make.stdout
        assert any("api" in line and "Stopping" in line for line in make.stdout)
        os.killpg(make.pid, signal.SIGINT)
        said, _ = make.communicate(timeout=240)
    assert make.returncode != 0
    assert "Nothing was changed: the board serves from the database from before." in said
    assert board.well() == SERVICES
    assert board.sql("SELECT count(*) FROM pg_database WHERE datname LIKE '%restored'", "postgres") == "0"


def readme_commands(board: Board, backup: Path) -> list[str]:
    """Return the README's commands for a lost volume, with this stack's names."""
    blocks = re.findall(r"```sh\n(.*?)```", (DIRECTORY / "README.md").read_text(), re.DOTALL)
    [block] = [block for block in blocks if "docker volume rm" in block and "restore FILE=" in block]
    block = block.replace("agent-board_postgresql", f"{board.stack.configuration['COMPOSE_PROJECT_NAME']}_postgresql")
    return [line.partition(" #")[0].strip() for line in re.sub(r"FILE=\S+", f"FILE={backup}", block).splitlines()]


def test_no_id_names_two_posts_after_the_loss_of_the_volume(board: Board) -> None:
    with Traffic(board) as kept:
        kept.until(5)
    file = export(board)
    with Traffic(board) as lost:
        lost.until(10)
    lost.check()
    head, identity = board.sql("SELECT last_id, identity FROM log_head, board_identity").split("|")
    commands = readme_commands(board, file)
    assert [command.split()[1] for command in commands] == ["down", "volume", "up", "restore"]
    said = [shell(board, command) for command in commands]
    assert f"another board than the one that ran here before, whose newest id was {head}." in said[2]
    assert lineage.replaced(board.stack) == ""
    assert board.sql("SELECT identity FROM board_identity") == identity
    assert int(board.sql("SELECT max(id) FROM posts")) < int(head)
    with Traffic(board) as more:
        more.until(10)
    more.check()
    first = int(board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{more.mark}%'"))
    assert first == int(head) + LOST_IDS_MAX + 1


def shell(board: Board, command: str) -> str:
    environment = {**os.environ, **board.stack.configuration.environment}
    done = subprocess.run(
        command, shell=True, cwd=board.checkout, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("step", ["pass_over", "exchange"])
def test_a_restore_that_fails_leaves_the_board_as_it_was(
    board: Board, file: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    board.sql("SET ROLE agent_board; CREATE TABLE made_after_the_backup (n int)")
    monkeypatch.setattr(exports, step, fail)
    with pytest.raises(StackError, match="it failed"):
        exports.restore(board.stack, str(file))
    board.until_well()
    assert "made_after_the_backup" in board.sql(TABLES)
    board.sql("DROP TABLE made_after_the_backup")


def test_a_restore_whose_last_step_fails_says_how_it_goes_on(
    board: Board, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "migrate", fail)
    with pytest.raises(StackError, match=r"The database was restored from .* Run make up to finish"):
        exports.restore(board.stack, str(file))
    board.make("up")
    board.until_well()


def test_half_an_export_is_refused_and_changes_nothing(board: Board, file: Path, folder: Path) -> None:
    whole = file.read_bytes()
    half = folder / "half.dump"
    half.write_bytes(whole[: len(whole) // 2])
    before = {each.id for each in board.stack.containers()}
    assert f"{half} is not a complete backup of a board." in board.make("restore", f"FILE={half}", fails=True)
    assert {each.id for each in board.stack.containers()} == before
    assert "there is no such file" in board.make("restore", "FILE=nothing.dump", fails=True)


def test_an_export_that_fails_leaves_no_file(board: Board) -> None:
    folder = board.stack.configuration.path("BACKUP_DIR")
    before = sorted(folder.iterdir())
    accept_connections(board, "false")
    try:
        assert "make export: docker compose exec failed" in board.make("export", fails=True)
    finally:
        accept_connections(board, "true")
    assert sorted(folder.iterdir()) == before


def accept_connections(board: Board, accept: str) -> None:
    """Let the database accept new connections, or refuse them while those that are open go on."""
    statement = f"ALTER DATABASE agent_board ALLOW_CONNECTIONS {accept}"
    execute(board.stack, "--dbname=postgres", commands=[statement])

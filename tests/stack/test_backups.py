"""A backup is the whole board, and comes back as it was."""

from pathlib import Path

import pytest

from deploy.compose import backups
from deploy.compose.errors import StackError
from tests.stack.make import Board
from tests.stack.traffic import Traffic

# where the log goes on after a restore
HEADS = {"log_head", "search_cursor"}
TABLES = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'"


def contents(board: Board) -> dict[str, str]:
    """Return a digest of every table's rows, whatever their order, and how many there are."""
    digest = "SELECT count(*), md5(string_agg(row, '' ORDER BY row)) FROM (SELECT t::text AS row FROM {} t) r"
    tables = board.sql(TABLES).split()
    return {table: board.sql(digest.format(table)) for table in tables}


def take_backup(board: Board) -> Path:
    """Make a backup under load, and return its file."""
    board.make("backup")
    return max((board.stack.configuration.path("BACKUP_DIR")).glob("*.dump"))


def fail(*_: object) -> None:
    raise StackError("it failed")


def test_a_backup_restores_the_board_that_was_wiped(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(20)
    traffic.check()
    # it should be compared without what moves by itself
    board.stack.compose("stop", "api", "fanout")
    before = contents(board)
    file = take_backup(board)
    assert file.stat().st_mode & 0o077 == 0
    head = int(board.sql("SELECT last_id FROM log_head"))
    board.sql("DROP DATABASE agent_board WITH (FORCE)", database="postgres")
    said = board.make("restore", f"FILE={file}")
    board.stack.compose("stop", "api", "fanout")
    after = contents(board)
    board.stack.compose("start", "api", "fanout")
    assert f"The board is that of {file.name}; there was no database before it." in said
    assert {table for table, rows in before.items() if rows != after[table]} <= HEADS
    # it should have room for the inbox where the log goes on
    assert before.keys() - after.keys() == set()
    assert {table[: len("inbox_")] for table in after.keys() - before.keys()} <= {"inbox_"}
    assert int(board.sql("SELECT last_id FROM log_head")) == head + backups.LOST_IDS_MAX
    board.until_well()
    with Traffic(board) as more:
        more.until(10)
    more.check()
    assert more.failures == []


def test_a_restore_keeps_the_database_before_it(board: Board) -> None:
    file = take_backup(board)
    board.sql("CREATE TABLE made_after_the_backup (n int)")
    said = board.make("restore", f"FILE={file}")
    kept = said.strip().rpartition(" ")[2].rstrip(".")
    assert "made_after_the_backup" not in board.sql(TABLES)
    board.sql(f"ALTER DATABASE {kept} ALLOW_CONNECTIONS true", database="postgres")
    assert "made_after_the_backup" in board.sql(TABLES, database=kept)


def test_no_id_names_two_posts_after_a_restore(board: Board) -> None:
    file = take_backup(board)
    with Traffic(board) as lost:
        lost.until(10)
    lost.check()
    head = int(board.sql("SELECT last_id FROM log_head"))
    board.make("restore", f"FILE={file}")
    assert int(board.sql("SELECT max(id) FROM posts")) < head
    with Traffic(board) as more:
        more.until(10)
    more.check()
    assert board.sql(f"SELECT min(id) FROM posts WHERE title LIKE '{more.mark}%'") == str(head + 1)


@pytest.mark.parametrize("step", ["_head", "_exchange"])
def test_a_restore_that_fails_leaves_the_board_as_it_was(
    board: Board, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = take_backup(board)
    board.sql("SET ROLE agent_board; CREATE TABLE made_after_the_backup (n int)")
    monkeypatch.setattr(backups, step, fail)
    with pytest.raises(StackError, match="it failed"):
        backups.restore(board.stack, str(file))
    board.until_well()
    assert "made_after_the_backup" in board.sql(TABLES)
    board.sql("DROP TABLE made_after_the_backup")


def test_a_restore_whose_last_step_fails_says_how_it_goes_on(board: Board, monkeypatch: pytest.MonkeyPatch) -> None:
    file = take_backup(board)
    monkeypatch.setattr(backups, "migrate", fail)
    with pytest.raises(StackError, match=r"The database is that of .* make up goes on from here"):
        backups.restore(board.stack, str(file))
    board.make("up")
    board.until_well()


def test_half_a_backup_is_refused_and_changes_nothing(board: Board, folder: Path) -> None:
    whole = take_backup(board).read_bytes()
    half = folder / "half.dump"
    half.write_bytes(whole[: len(whole) // 2])
    before = {each.id for each in board.stack.containers()}
    assert f"{half} is no whole backup of a board." in board.make("restore", f"FILE={half}", fails=True)
    assert {each.id for each in board.stack.containers()} == before
    assert "Name the file" in board.make("restore", "FILE=nothing.dump", fails=True)


def test_a_backup_that_fails_leaves_no_file(board: Board) -> None:
    folder = board.stack.configuration.path("BACKUP_DIR")
    before = sorted(folder.iterdir())
    board.stack.compose("stop", "postgresql")
    assert "make backup: docker compose exec failed" in board.make("backup", fails=True)
    board.stack.compose("start", "postgresql")
    assert sorted(folder.iterdir()) == before

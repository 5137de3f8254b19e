"""The drill and the restore of a table are commands of other programs, which run as the README prints them."""

import re
import tarfile
from pathlib import Path

from tests.stack.by_hand import blocks, run
from tests.stack.make import Board
from tests.stack.traffic import Traffic


def test_a_drill_verifies_the_newest_backup_beside_the_board_and_gives_back_a_table(board: Board) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
    board.make("backup")
    meant = {
        "agent-board-drill": f"{board.stack.project}-drill",
        "agent-board:local": board.stack.configuration["BOARD_IMAGE"],
    }
    drill, removal = blocks("Drill")
    [table] = blocks("One table")
    votes = board.sql("SELECT count(*) FROM votes")
    try:
        with Traffic(board) as more:
            more.until(5)
            said = run(board, drill, meant)
        more.check()
        found = re.search(r"(\d+) posts have dense ids and match their receipts", said)
        assert found, said
        assert int(found[1]) >= int(board.sql(f"SELECT count(*) FROM posts WHERE body LIKE '%{traffic.mark}%'")) > 0
        rescued = run(board, table, meant)
        assert re.search(rf"^ *{votes}$", rescued, re.MULTILINE), rescued
    finally:
        run(board, removal, meant)
    assert "drill" not in board.stack.docker("ps", "--all", "--format", "{{.Names}}")
    assert "drill" not in board.stack.ask("exec", "-T", "postgresql", "ls", "/var/lib/postgresql")


def test_the_repository_leaves_and_comes_back_as_one_file(board: Board, tmp_path: Path) -> None:
    file = tmp_path / "repository.tar"
    [commands] = blocks("Restore")
    run(board, commands, {"repository.tar": str(file)})
    with tarfile.open(file) as packed:
        assert {"archive/agent-board", "backup/agent-board"} <= {*packed.getnames()}
    assert "was made and verified" in board.make("backup")

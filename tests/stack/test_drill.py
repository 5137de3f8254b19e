"""`make drill` proves a backup next to the running board, and leaves nothing behind, whatever happens to it."""

import os
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.compose.backups import check_archiving
from tests.stack.make import Board
from tests.stack.traffic import Traffic

ALTER = "UPDATE posts SET body = {} WHERE id = (SELECT min(id) FROM posts WHERE NOT erased) RETURNING id"
ARCHIVED = "PGPASSWORD=$(cat /run/secrets/postgres_password) pgbackrest --archive-timeout=30 check"
TIMELINE = "SELECT timeline_id FROM pg_control_checkpoint()"


def project(board: Board) -> str:
    return f"{board.stack.configuration['COMPOSE_PROJECT_NAME']}-drill"


def left(board: Board) -> list[str]:
    """Return the containers, volumes and networks of the drill."""
    label = f"label=com.docker.compose.project={project(board)}"
    kinds = (("ps", "--all"), ("volume", "ls"), ("network", "ls"))
    return [line for kind in kinds for line in board.stack.docker(*kind, "--quiet", "--filter", label).split()]


def metrics(board: Board) -> Path:
    return board.stack.configuration.path("METRICS_DIR") / "drill.prom"


@pytest.fixture(autouse=True)
def leaves_nothing(board: Board) -> Iterator[None]:
    """No test leaves anything of a drill; the board still archives on its own timeline."""
    timeline = board.sql(TIMELINE)
    yield
    assert left(board) == []
    board.stack.ask("exec", "-T", "backup", "sh", "-c", ARCHIVED)
    check_archiving(board.stack)
    assert board.sql(TIMELINE) == timeline


def test_a_drill_verifies_the_newest_backup_while_the_board_serves(board: Board, figures: dict[str, str]) -> None:
    with Traffic(board) as before:
        before.until(10)
    board.make("backup")
    began = int(time.time())
    with Traffic(board) as traffic:
        traffic.until(5)
        said = board.make("drill")
    traffic.check()
    figures["drill"] = said.strip().splitlines()[-1]
    found = re.search(r"(\d+) posts have dense ids and match their receipts, and (\d+) events", said)
    assert found
    assert int(found[1]) >= int(board.sql(f"SELECT count(*) FROM posts WHERE body LIKE '%{before.mark}%'")) > 0
    assert re.search(r"Backup \S+, 0 min old, was restored in \d+ seconds, with the log up to 20\S+ \S+ \(UTC\)", said)
    shown = dict(line.split() for line in metrics(board).read_text().splitlines() if not line.startswith("#"))
    assert began < int(shown["agent_board_drill_timestamp_seconds"]) <= time.time()


def test_a_drill_reports_a_post_that_was_altered(board: Board) -> None:
    metrics(board).unlink(missing_ok=True)
    with Traffic(board) as traffic:
        traffic.until(5)
    altered = board.sql(ALTER.format("body || '.'")).split()[0]
    board.make("backup")
    said = board.make("drill", fails=True)
    board.sql(ALTER.format("left(body, -1)"))
    assert f"Post {altered} does not match its receipt." in said
    assert "The restored board is not what was published" in said
    assert not metrics(board).exists()


def test_an_interrupted_drill_is_removed(board: Board) -> None:
    with board.begun("drill") as make:
        deadline = time.monotonic() + 120
        while not left(board):
            assert make.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
        assert "Another drill is running." in board.make("drill", fails=True)
        os.killpg(make.pid, signal.SIGINT)
        said, _ = make.communicate(timeout=120)
    assert make.returncode != 0, said
    assert "make drill was interrupted" in said

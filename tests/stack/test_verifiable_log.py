"""A follower sees one log of the stack through crashes and moderation, and learns what a restore has lost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.compose.waiting import until
from tests.client.followers import Follower, run_board, variables
from tests.stack.make import Board
from tests.stack.traffic import Traffic

COVERED = """
SELECT size = (SELECT count(*) FROM posts) + (SELECT count(*) FROM log_begins) FROM log_state
"""
BEGINS = "SELECT count(*) FROM log_begins"
NEWEST = "SELECT max(generation) FROM log_begins"
HONEST = {"first", "grown", "unchanged"}
# A checkpoint is signed every 10 s.
SIGNED_SECONDS = 60
RESTORED_SECONDS = 120
NO_POST = "There is nothing here."


@pytest.fixture
def environment(board: Board, tmp_path: Path) -> dict[str, str]:
    return variables(tmp_path, board.url)


@pytest.fixture
def follower(environment: dict[str, str]) -> Iterator[Follower]:
    follower = Follower(environment, "--every", "1", "--json")
    yield follower
    follower.kill()


def until_covered(board: Board) -> None:
    until(lambda: board.sql(COVERED) == "t", SIGNED_SECONDS, "No checkpoint covers the newest posts.")


def seen(follower: Follower, size: int) -> list[str]:
    """Wait until a follower has seen a size; return the lines until then."""
    lines = []
    while not is_of(line := follower.lines.get(timeout=SIGNED_SECONDS), size):
        lines.append(line)
    return lines


def is_of(line: str, size: int) -> bool:
    return line.startswith("{") and json.loads(line)["size"] == size


def audited(board: Board, environment: dict[str, str]) -> dict[str, Any]:
    """Return the audit of the log, of which every post agrees."""
    audit: dict[str, Any] = json.loads(run_board(environment, "log", "audit", "--json"))
    assert audit["differences"] == []
    assert audit["posts"] == int(board.sql("SELECT count(*) FROM posts"))
    assert audit["compared"] + audit["hidden"] + audit["erased"] == audit["posts"]
    return audit


def operate(board: Board, *command: str) -> None:
    board.stack.ask("exec", "-T", "--env", "AGENT_BOARD_OPERATOR=olga", "api", "agent-board", *command)


def kill_all(board: Board, service: str) -> None:
    """Kill every container of a service, and wait until the engine has started all again."""
    killed = board.containers(service)
    for container in killed:
        board.kill(container)
    for container in killed:
        board.until_restarted(container)


def published(board: Board, traffic: Traffic) -> int:
    return int(board.sql(f"SELECT min(id) FROM posts WHERE title LIKE '{traffic.mark} %'"))


def test_a_follower_sees_one_log_through_crashes_and_moderation(
    board: Board, follower: Follower, environment: dict[str, str]
) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
        for service in ("fanout", "postgresql"):
            kill_all(board, service)
            traffic.until(10)
    traffic.check()
    until_covered(board)
    before = audited(board, environment)
    first = published(board, traffic)
    operate(board, "erase", "post", str(first), "--reason", "A secret.", "--yes")
    operate(board, "hide", str(first + 1), "--reason", "Off topic.")
    with Traffic(board) as more:
        more.until(5)
    until_covered(board)
    after = audited(board, environment)
    assert (after["hidden"], after["erased"]) == (before["hidden"] + 1, before["erased"] + 1)
    lines = seen(follower, after["size"])
    events = [json.loads(line)["event"] for line in lines if line.startswith("{")]
    assert "grown" in events
    assert set(events) <= HONEST
    # of the log itself, everything was right; the rest is that the board was away
    assert not [line for line in lines if "log" in line.lower() and not line.startswith("{")]


def test_a_follower_learns_what_a_restore_has_lost(
    board: Board, follower: Follower, environment: dict[str, str], tmp_path: Path
) -> None:
    with Traffic(board) as kept:
        kept.until(10)
    board.make("export")
    file = max(board.stack.configuration.path("BACKUP_DIR").glob("*.dump"))
    with Traffic(board) as lost:
        lost.until(10)
    until_covered(board)
    before, begins = audited(board, environment), int(board.sql(BEGINS))
    seen(follower, before["size"])
    receipts = [save(environment, tmp_path, published(board, traffic)) for traffic in (kept, lost)]
    # the second restore brings back the log from before the first one
    for _ in range(2):
        board.make("restore", f"FILE={file}")
        left = int(board.sql("SELECT count(*) FROM posts")) + begins
        sentence = f"A restore lost entries {left} to {before['size'] - 1}, which you had seen."
        follower.reports(sentence, RESTORED_SECONDS)
        with Traffic(board) as more:
            more.until(10)
        more.check()
        until_covered(board)
        before = audited(board, environment)
        events = {json.loads(line)["event"] for line in seen(follower, before["size"]) if line.startswith("{")}
        assert events <= HONEST
    key = next(tmp_path.rglob("log.key")).read_text().strip()
    assert before["origin"] == f"{key.partition('+')[0]}/{board.sql(NEWEST)}"
    # the board had signed both posts, and that stays proved; it no longer has one of them
    for receipt in receipts:
        assert "is valid" in run_board(environment, "receipt", "verify", receipt, "--log", key)
    assert "is valid" in run_board(environment, "receipt", "verify", receipts[0].stem, "--log", key)
    assert NO_POST in run_board(environment, "receipt", "verify", receipts[1].stem, code=1)


def save(environment: dict[str, str], folder: Path, post: int) -> Path:
    path = folder / f"{post}.json"
    path.write_text(run_board(environment, "receipt", "save", post))
    return path

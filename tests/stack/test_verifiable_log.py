"""A follower sees one log of the stack through crashes and moderation, and learns what a restore has lost."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from tests.chaos.row import AWAY
from tests.stack.following import COVERED, ENTRIES, Witness, following
from tests.stack.make import Board
from tests.stack.test_recovery import moment, restore_to
from tests.stack.traffic import Traffic

BEGINS = "SELECT count(*) FROM log_begins"
NEWEST = "SELECT max(generation) FROM log_begins"
REPLIES = "SELECT id FROM posts WHERE parent IS NOT NULL AND body LIKE '%{mark}%' ORDER BY id LIMIT 2"
NO_POST = "There is nothing here."


@pytest.fixture
def witness(board: Board, tmp_path: Path) -> Iterator[Witness]:
    """A client that follows the log during the whole test."""
    with following(board, tmp_path) as witness:
        yield witness


def operate(board: Board, *command: str) -> None:
    board.stack.ask("exec", "-T", "--env", "AGENT_BOARD_OPERATOR=olga", "api", "agent-board", *command)


def kill_all(board: Board, service: str) -> None:
    """Kill every container of a service, and wait until the engine has started all again."""
    killed = board.containers(service)
    for container in killed:
        board.kill(container)
    for container in killed:
        board.until_restarted(container)


@contextmanager
def unsigned(board: Board) -> Iterator[None]:
    """Stop the processes that sign checkpoints during the block."""
    board.stack.compose("stop", "fanout")
    try:
        yield
    finally:
        board.stack.compose("start", "fanout")


def published(board: Board, traffic: Traffic) -> int:
    return int(board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{traffic.mark}%'"))


def save(witness: Witness, post: int, folder: Path) -> Path:
    path = folder / f"{post}.json"
    path.write_text(witness.run("receipt", "save", post))
    return path


def check_receipts(witness: Witness, kept: Path, lost: Path) -> None:
    """Assert that two posts stay proved, of which a restored board has the first one, in its place of the log."""
    key = next(kept.parent.rglob("log.key")).read_text().strip()
    for receipt in (kept, lost):
        assert "is valid" in witness.run("receipt", "verify", receipt, "--log", key)
    assert "is valid" in witness.run("receipt", "verify", kept.stem, "--log", key)
    now = json.loads(witness.run("receipt", "save", kept.stem))
    assert now["log"]["index"] == json.loads(kept.read_text())["log"]["index"]
    assert NO_POST in witness.run("receipt", "verify", lost.stem, code=1)
    assert witness.origin == f"{key.partition('+')[0]}/{witness.board.sql(NEWEST)}"


def goes_on(board: Board, witness: Witness) -> None:
    """Assert that a restored board serves, and that its log goes on as one."""
    with Traffic(board) as more:
        more.until(10)
    more.check()
    witness.saw_one_log()


def test_a_follower_sees_one_log_through_crashes_and_moderation(board: Board, witness: Witness) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
        for service in ("fanout", "postgresql"):
            kill_all(board, service)
            traffic.until(10)
    traffic.check(AWAY)
    before = witness.saw_one_log()
    # what is done to a thread concerns its replies, too
    erased, hidden = board.sql(REPLIES.format(mark=traffic.mark)).split()
    operate(board, "erase", "post", erased, "--reason", "A secret.", "--yes")
    operate(board, "hide", hidden, "--reason", "Off topic.")
    with Traffic(board) as more:
        more.until(5)
    after = witness.saw_one_log()
    assert (after["hidden"], after["erased"]) == (before["hidden"] + 1, before["erased"] + 1)
    assert after["size"] > before["size"]


def test_a_follower_learns_what_a_restore_has_lost(board: Board, witness: Witness, tmp_path: Path) -> None:
    with Traffic(board) as kept:
        kept.until(10)
    board.make("export")
    file = max(board.stack.configuration.path("BACKUP_DIR").glob("*.dump"))
    with Traffic(board) as lost:
        lost.until(10)
    witness.saw_one_log()
    begins = int(board.sql(BEGINS))
    receipts = [save(witness, published(board, traffic), tmp_path) for traffic in (kept, lost)]
    # the second restore brings back the log from before the first one
    for _ in range(2):
        board.make("restore", f"FILE={file}")
        witness.learned_of_loss(int(board.sql("SELECT count(*) FROM posts")) + begins)
        goes_on(board, witness)
    check_receipts(witness, *receipts)


# The first case is slow, because test_recovery.py has a restore like it.
@pytest.mark.parametrize(
    "signed",
    [
        pytest.param(True, id="after a checkpoint", marks=pytest.mark.slow),
        pytest.param(False, id="before the checkpoint of its posts"),
    ],
)
def test_a_follower_learns_what_a_restore_to_a_moment_has_lost(
    board: Board, witness: Witness, signed: bool, tmp_path: Path
) -> None:
    with nullcontext() if signed else unsigned(board):
        with Traffic(board) as kept:
            kept.until(10)
        if signed:
            witness.saw_one_log()
        assert board.sql(COVERED) == ("t" if signed else "f")
        left = int(board.sql(ENTRIES))
        middle = moment(board)
    with Traffic(board) as lost:
        lost.until(10)
    witness.saw_one_log()
    receipts = [save(witness, published(board, traffic), tmp_path) for traffic in (kept, lost)]
    board.make("restore", restore_to(middle))
    witness.learned_of_loss(left)
    goes_on(board, witness)
    check_receipts(witness, *receipts)

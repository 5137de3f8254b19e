"""The log of the stack goes on as one through crashes and moderation, and begins again after what a restore lost."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import pytest

from agent_board_client.decoding import decode
from agent_board_client.models import Receipt
from agent_board_client.receipt_log import verify_in_log
from agent_board_client.receipts import verify_receipt
from tests.chaos.row import AWAY
from tests.stack.log_reader import COVERED, ENTRIES, LogReader
from tests.stack.make import Board
from tests.stack.test_recovery import moment, restore_to
from tests.stack.traffic import Traffic
from tests.web import Web

BEGINS = "SELECT count(*) FROM log_begins"
NEWEST = "SELECT max(generation) FROM log_begins"
REPLIES = "SELECT id FROM posts WHERE parent IS NOT NULL AND body LIKE '%{mark}%' ORDER BY id LIMIT 2"


@pytest.fixture
def reader(board: Board) -> LogReader:
    """A reader of the log, which has seen all of it so far."""
    reader = LogReader(board)
    reader.sees_one_log()
    return reader


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


def receipt_of(board: Board, traffic: Traffic) -> Receipt:
    """Return the receipt of the first post of some traffic."""
    post = board.sql(f"SELECT min(id) FROM posts WHERE body LIKE '%{traffic.mark}%'")
    with Web(board.url) as web:
        return read_receipt(web, int(post))


def read_receipt(web: Web, post: int) -> Receipt:
    receipt: Receipt = decode(web.get(f"/api/posts/{post}/receipt").content, Receipt)
    return receipt


def check_receipts(reader: LogReader, kept: Receipt, lost: Receipt) -> None:
    """Assert that two posts stay proved, of which a restored board has the first one, in its place of the log."""
    with Web(reader.board.url) as web:
        now = read_receipt(web, kept.post_id)
        assert web.get(f"/api/posts/{lost.post_id}/receipt").status == 404
    for receipt in (kept, lost, now):
        assert verify_receipt(receipt) == verify_in_log(receipt, reader.key) == []
    assert now.log
    assert kept.log
    assert now.log.index == kept.log.index
    assert reader.origin == f"{reader.key.name}/{reader.board.sql(NEWEST)}"


def goes_on(board: Board, reader: LogReader) -> None:
    """Assert that a restored board serves, and that its log goes on as one."""
    with Traffic(board) as more:
        more.until(10)
    more.check()
    reader.sees_one_log()


def test_it_goes_on_as_one_through_crashes_and_moderation(board: Board, reader: LogReader) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
        for service in ("fanout", "postgresql"):
            kill_all(board, service)
            traffic.until(10)
            with Web(board.url) as web:
                reader.look(web)
    traffic.check(AWAY)
    reader.sees_one_log()
    # actions on a thread concern its replies, too
    erased, hidden = board.sql(REPLIES.format(mark=traffic.mark)).split()
    operate(board, "erase", "post", erased, "--reason", "A secret.", "--yes")
    operate(board, "hide", hidden, "--reason", "Off topic.")
    goes_on(board, reader)
    operate(board, "verify")


# The first case is slow, because test_recovery.py has a restore like it.
@pytest.mark.parametrize(
    "signed",
    [
        pytest.param(True, id="after a checkpoint", marks=pytest.mark.slow),
        pytest.param(False, id="before the checkpoint of its posts"),
    ],
)
def test_it_begins_again_after_what_a_restore_to_a_moment_has_lost(
    board: Board, reader: LogReader, signed: bool
) -> None:
    with nullcontext() if signed else unsigned(board):
        with Traffic(board) as kept:
            kept.until(10)
        if signed:
            reader.sees_one_log()
        assert board.sql(COVERED) == ("t" if signed else "f")
        left = int(board.sql(ENTRIES))
        middle = moment(board)
    with Traffic(board) as lost:
        lost.until(10)
    reader.sees_one_log()
    receipts = [receipt_of(board, traffic) for traffic in (kept, lost)]
    board.make("restore", restore_to(middle))
    reader.sees_loss(left)
    goes_on(board, reader)
    check_receipts(reader, *receipts)

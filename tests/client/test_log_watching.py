"""`board log follow` goes on while a board is away or restored, and beside another process with the same memory."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.client.conftest import Run
from tests.client.followers import SECONDS, Follower, variables
from tests.client.log_board import FOLLOW, SEEN, LogBoard, kept
from tests.waiting import wait_until

LOOKS = 3


Start = Callable[..., Follower]


@pytest.fixture
def environment(log_environment: dict[str, str]) -> dict[str, str]:
    return log_environment


@pytest.fixture
def start(board: LogBoard, home: Path) -> Iterator[Start]:
    """Starts followers of a board, which are ended after the test."""
    started: list[Follower] = []

    def start(*options: str, address: str = board.address) -> Follower:
        started.append(Follower(variables(home, address), *options))
        return started[-1]

    yield start
    for follower in started:
        follower.kill()


def until_asked(board: LogBoard) -> None:
    """Wait until a follower has asked some more times."""
    goal = board.calls + LOOKS
    wait_until(lambda: board.calls >= goal)


@pytest.mark.parametrize(
    ("failing", "sentence"), [(503, "status 503"), (502, "status 502"), (404, "no verifiable log")]
)
def test_follow_reports_once_that_a_board_fails_for_a_time(
    start: Start, seen: LogBoard, failing: int, sentence: str
) -> None:
    follower = start("--every", "1")
    follower.reports("still has 300")
    for _ in range(2):
        seen.failing = failing
        until_asked(seen)
        seen.failing = None
        seen.publish(1)
        before = follower.reports("went on")
        assert [sentence in line for line in before].count(True) == 1


def test_follow_reports_once_that_no_connection_is_possible(start: Start) -> None:
    board = LogBoard()
    with board.served():
        follower = start("--every", "1", address=board.address)
        follower.reports("The log has 1 entry.")
    follower.reports("did not answer: Connection refused")
    time.sleep(LOOKS)
    board.publish(1)
    with board.served(int(board.address.rpartition(":")[2])):
        assert "did not answer" not in "".join(follower.reports("went on from 1 to 2"))


def test_follow_waits_for_the_end_of_a_restore_and_reports_what_it_lost(
    start: Start, board: LogBoard, home: Path
) -> None:
    board.publish(289)
    older = board.checkpoint().encode()
    board.publish(10)
    follower = start("--every", "1")
    follower.reports("The log has 300 entries.")
    last = kept(home)
    board.answers["/log/checkpoint"] = older
    follower.reports("rolled back: it had 300 entries, and now has 290.")
    until_asked(board)
    assert kept(home) == last
    board.answers["/log/checkpoint"] = None
    follower.reports("does not serve checkpoint of its log")
    board.restore(290)
    board.publish(5)
    del board.answers["/log/checkpoint"]
    before = follower.reports("A restore lost entries 290 to 299, which you had seen. The log has 296 entries now.")
    assert not [line for line in before if "rolled back" in line]
    board.publish(1)
    follower.reports("went on from 296 to 297")
    assert kept(home) == board.checkpoint()
    assert not list(home.rglob("log.refused"))


def test_a_restore_while_the_log_is_read_is_no_fault(
    run: Run, seen: LogBoard, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen.publish(10)
    tile = seen.tile

    def restore_first(path: str) -> bytes | None:
        if seen.generation == 1:
            seen.restore(290)
            seen.publish(30)
        return tile(path)

    monkeypatch.setattr(seen, "tile", restore_first)
    assert "A restore lost entries 290 to 299" in run(*FOLLOW, code=1).stderr
    assert not list(home.rglob("log.refused"))


def test_of_two_processes_none_forgets_what_the_other_has_seen(
    start: Start, seen: LogBoard, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen.publish(10)
    tile, asked, go_on = seen.tile, Event(), Event()

    def hold_first(path: str) -> bytes | None:
        if not asked.is_set():
            asked.set()
            go_on.wait(SECONDS)
        return tile(path)

    monkeypatch.setattr(seen, "tile", hold_first)
    slow = start("--once")
    assert asked.wait(SECONDS)
    seen.publish(10)
    assert start("--once").ends() == "The log went on from 300 to 320 entries.\n"
    go_on.set()
    assert slow.ends() == "The log still has 320 entries.\n"
    assert kept(home) == seen.checkpoint()


def test_two_processes_take_turns_to_keep_a_checkpoint(start: Start, seen: LogBoard, home: Path) -> None:
    seen.publish(10)
    last = kept(home)
    other = sqlite3.connect(next(home.rglob("state.sqlite")), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    follower = start("--once")
    until_asked(seen)
    time.sleep(1)
    assert follower.process.poll() is None
    assert kept(home) == last
    other.close()
    assert follower.ends() == f"The log went on from {SEEN} to {SEEN + 10} entries.\n"

"""What `make backups` promises and `make restore` reports is what happens, and failed backups are reported."""

import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest

from tests.stack.make import Board
from tests.stack.prometheus import until
from tests.stack.traffic import Traffic

FORMER = re.compile(r"from (\S+ \S+) to (\S+ \S+?), or since ")
ATTEMPT_SECONDS = 180
# Calls of a test and of the command fall between each other.
DIFFERENCE_MAX = 4


class Caller:
    """Reads threads again and again, and counts the seconds from a call that fails to the next one that does not."""

    def __init__(self, url: str) -> None:
        self.url = f"{url}/api/threads?limit=1"
        self.seconds = 0.0

    def served(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=5) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def run(self, over: threading.Event) -> None:
        began = 0.0
        while not over.wait(0.1):
            called = time.monotonic()
            if not self.served():
                began = began or called
            elif began:
                self.seconds += time.monotonic() - began
                began = 0.0


@contextmanager
def called(board: Board) -> Iterator[Caller]:
    """Call the board during the block."""
    caller, over = Caller(board.url), threading.Event()
    thread = threading.Thread(target=caller.run, args=(over,))
    thread.start()
    try:
        yield caller
    finally:
        over.set()
        thread.join()


def last_promised(board: Board) -> datetime:
    """Return the end of the newest former timeline, as `make backups` lists it."""
    said = board.make("backups")
    found = FORMER.findall(said)
    assert found, said
    return datetime.fromisoformat(found[-1][1]).replace(tzinfo=UTC)


def restored_to(moment: datetime) -> str:
    return f"TIME={moment:%Y-%m-%d %H:%M:%S}"


@pytest.mark.slow  # two restores
def test_the_last_moment_of_a_timeline_can_be_restored_and_a_later_one_stops_nothing(
    board: Board, figures: dict[str, str]
) -> None:
    with Traffic(board) as traffic:
        traffic.until(10)
    board.make("backup")
    with called(board) as caller:
        said = board.make("restore").strip().splitlines()[-1]
    figures["restore"] = f"{said} A caller found it down for {caller.seconds:.1f}."
    reported = re.search(r"it was down for (\d+) of them", said)
    assert reported, said
    assert abs(int(reported[1]) - caller.seconds) <= DIFFERENCE_MAX, figures["restore"]
    end = last_promised(board)
    before = {(each.id, each.started) for each in board.containers()}
    with called(board) as caller:
        for later in (1, 3):
            refused = board.make("restore", restored_to(end + timedelta(seconds=later)), fails=True)
            assert "nothing was changed" in refused
            assert "whose archived log ends at" in refused
    assert {(each.id, each.started) for each in board.containers()} == before
    assert caller.seconds == 0
    board.make("restore", restored_to(end))
    board.until_well()


def test_a_backup_that_fails_is_reported_and_repeated(board: Board) -> None:
    page = board.stack.configuration.path("METRICS_DIR") / "backup_failing.prom"

    def shown() -> dict[str, str]:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        return dict(line.split() for line in text.splitlines() if not line.startswith("#"))

    def failing() -> str:
        return shown().get("agent_board_backup_failing", "")

    def allow(mode: str) -> None:
        [service] = board.containers("backup")
        board.stack.docker("exec", service.id, "chmod", mode, "/var/lib/pgbackrest/backup/agent-board")

    board.make("backup")
    until(failing, "0", ATTEMPT_SECONDS)
    allow("0500")
    try:
        board.make("backup", fails=True)
        until(failing, "1", ATTEMPT_SECONDS)
        assert shown()["agent_board_backup_failing"] == "1"
        said = board.make("doctor", fails=True)
        assert "The last attempt to make a backup, or to verify it, failed" in said
        assert "Permission denied" in said
    finally:
        allow("0750")
    # nothing is due, and yet it is made again
    until(failing, "0", ATTEMPT_SECONDS)
    assert board.make("doctor").strip().endswith("All is well.")

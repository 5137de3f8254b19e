"""A client follows the log of a stack in a process of its own, whatever a test does to the board meanwhile."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from typing import Any

from deploy.compose.waiting import until
from tests.client.followers import Follower, run_board, variables
from tests.stack.make import Board

ENTRIES = "SELECT (SELECT count(*) FROM posts) + (SELECT count(*) FROM log_begins)"
COVERED = f"SELECT checkpoint IS NOT NULL AND size = ({ENTRIES}) FROM log_state"
HONEST = {"first", "grown", "unchanged"}
# What a client reports of the log itself until a restored board has signed again, with the hint after it.
UNFINISHED = ("The log was rolled back:", "If the board was restored,")
# A checkpoint is signed every 10 s.
SIGNED_SECONDS = 60
RESTORED_SECONDS = 120


class Witness:
    """A client that looks at the log every second. `origin` and `size` are those that it was asked about last."""

    def __init__(self, board: Board, home: Path) -> None:
        self.board = board
        self.environment = variables(home, board.url)
        self.follower = Follower(self.environment, "--every", "1", "--json")
        self.size = 0
        self.origin = ""

    def run(self, *arguments: object, code: int = 0) -> str:
        """Run another command of the same client; return its output."""
        return run_board(self.environment, *arguments, code=code)

    def saw_one_log(self) -> dict[str, Any]:
        """Assert that the log went on as one since the last question, up to all posts; return its audit."""
        until_covered(self.board)
        audit = self.audited()
        events, sentences = parted(self.lines_until(lambda event: event["size"] == audit["size"], SIGNED_SECONDS))
        assert {each["event"] for each in events} <= HONEST
        assert {each["origin"] for each in events} == {audit["origin"]}
        assert self.origin in ("", audit["origin"])
        # of the log itself, everything was right; the rest is that the board was away
        assert not [each for each in sentences if "log" in each.lower()]
        self.origin, self.size = audit["origin"], audit["size"]
        return audit

    def audited(self) -> dict[str, Any]:
        """Return the audit of the log, of which every post of the board agrees."""
        audit: dict[str, Any] = json.loads(self.run("log", "audit", "--json"))
        assert audit["differences"] == []
        assert audit["posts"] == int(self.board.sql("SELECT count(*) FROM posts"))
        assert audit["compared"] + audit["hidden"] + audit["erased"] == audit["posts"]
        return audit

    def lines_until(self, is_it: Callable[[dict[str, Any]], bool], seconds: float) -> list[str]:
        """Wait until the client has printed an event; return its lines up to that one."""
        lines, deadline = [""], time.monotonic() + seconds
        while not (lines[-1].startswith("{") and is_it(json.loads(lines[-1]))):
            try:
                lines.append(self.follower.lines.get(timeout=max(0, deadline - time.monotonic())))
            except Empty:
                raise AssertionError(f"The client did not see that. Its last lines: {lines[-5:]}") from None
        return lines[1:]

    def learned_of_loss(self, left: int) -> None:
        """Assert that a restore is reported which left this many of the entries that were seen, and nothing else."""
        (*before, loss), sentences = parted(self.lines_until(is_restored, RESTORED_SECONDS))
        assert (loss["seen"], loss["lost"]) == (self.size, self.size - left)
        lost = f"A restore lost entries {left} to {self.size - 1}, which you had seen."
        assert lost in self.follower.lines.get(timeout=RESTORED_SECONDS)
        assert {each["event"] for each in before} <= HONEST
        assert loss["origin"] != self.origin
        assert not [each for each in sentences if "log" in each.lower() and not each.startswith(UNFINISHED)]
        self.origin, self.size = loss["origin"], loss["size"]


def is_restored(event: dict[str, Any]) -> bool:
    return bool(event["event"] == "restored")


@contextmanager
def following(board: Board, home: Path) -> Iterator[Witness]:
    """Follow the log of a stack during the block. It has begun, and the client has seen all of it so far."""
    until_covered(board)
    witness = Witness(board, home)
    try:
        witness.saw_one_log()
        yield witness
    finally:
        witness.follower.kill()


def until_covered(board: Board) -> None:
    """Wait until the newest checkpoint covers all posts."""
    until(lambda: board.sql(COVERED) == "t", SIGNED_SECONDS, "No checkpoint covers the newest posts.")


def parted(lines: list[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the events of lines, and the sentences between them."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    return events, [line for line in lines if not line.startswith("{")]

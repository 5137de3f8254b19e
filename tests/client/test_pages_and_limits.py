"""Loops of pages outlast the limits of a board, with few calls and large pages."""

from urllib.parse import parse_qs, urlsplit

import pytest

from agent_board_client import Board, client
from agent_board_client.conversation import Answer, Outcome, Pause, Request, Step
from agent_board_client.pace import Pace
from tests.client.conftest import Run
from tests.web import Agent

WAIT = 64.0
REFUSED = Answer(429, {"Retry-After": f"{WAIT:.0f}"}, b"<html>Too many calls</html>")
PAGED = ("/api/activity", "/api/moderation", "/api/subscriptions", "/api/me/inbox", "/api/inbox", "/posts")


class Balancer:
    """Refuses every second call of a client, as a load balancer does, and lets no time pass while it waits."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.waits: list[float] = []
        self.refuses = True
        self.now = 1000.0

    def take(self, board: Board, step: Step) -> Outcome:
        if isinstance(step, Pause):
            board.report(step)
            self.now += step.seconds
            self.waits += [step.seconds] if step.seconds else []
            return None
        self.calls.append(step.url)
        return REFUSED if self.refuses and len(self.calls) % 2 else self.pass_on(board, step)

    def pass_on(self, board: Board, request: Request) -> Outcome:
        return taken(board, request)

    def limits(self) -> list[str]:
        """The sizes of the pages that were asked for, as the addresses state them."""
        parts = [urlsplit(url) for url in self.calls]
        return [parse_qs(part.query).get("limit", ["none"])[0] for part in parts if part.path.endswith(PAGED)]


taken = Board._take


@pytest.fixture
def balancer(monkeypatch: pytest.MonkeyPatch) -> Balancer:
    balancer = Balancer()
    monkeypatch.setattr(Board, "_take", lambda board, step: balancer.take(board, step))
    monkeypatch.setattr(client, "Pace", lambda: Pace(lambda: balancer.now))
    return balancer


@pytest.mark.parametrize(
    "command",
    [
        ["inbox"], ["inbox", "--ack", "--json"], ["follow"], ["export"], ["activity", "--after", "0", "--json"],
        ["moderation", "--after", "0", "--json"],
    ],
)  # fmt: skip
def test_a_list_outlasts_a_limit(run: Run, name: str, alice: Agent, balancer: Balancer, command: list[str]) -> None:
    balancer.refuses = False
    thread = alice.thread()
    run("follow", "thread", thread["id"])
    for number in range(3):
        run("reply", thread["id"], f"So {number}.")
    plain = run(*command).stdout if command[0] != "inbox" else None
    balancer.refuses, balancer.calls = True, []
    result = run(*command)
    assert plain in (None, result.stdout)
    assert f"Waiting {WAIT:.0f} seconds" in result.stderr
    assert set(balancer.limits()) == {"100"}

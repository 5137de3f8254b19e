"""Loops of pages outlast the limits of a board, with few calls and large pages."""

import json
from urllib.parse import parse_qs, urlsplit

import pytest

from agent_board_client import Board, client
from agent_board_client.conversation import Answer, Outcome, Pause, Request, Step
from agent_board_client.pace import Pace
from tests.client.conftest import Run
from tests.client.log_board import AUDIT, FOLLOW, LogBoard
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


@pytest.mark.parametrize("command", [["inbox"], ["inbox", "--ack", "--json"], ["follow"], ["export"]])
def test_a_list_of_the_account_outlasts_a_limit(
    run: Run, name: str, alice: Agent, balancer: Balancer, command: list[str]
) -> None:
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


def test_a_thread_outlasts_a_limit(run: Run, alice: Agent, bob: Agent, balancer: Balancer) -> None:
    balancer.refuses = False
    thread = alice.thread()
    read = run("read", thread["id"]).stdout
    balancer.refuses = True
    balancer.calls = ["so that the first call, which is not one of a loop, is answered"]
    assert run("read", thread["id"]).stdout == read


class TestLog:
    """The same on a board with a log and a wave of hidden posts."""

    @pytest.fixture
    def environment(self, log_environment: dict[str, str]) -> dict[str, str]:
        return log_environment

    @pytest.fixture
    def wave(self, board: LogBoard) -> LogBoard:
        """A board on which an operator hid 1,631 posts."""
        board.publish(1700)
        for number in range(1631):
            board.posts[number + 1] |= {"hidden": 1, "title": "", "body": ""}
            board.actions.append(
                {
                    "id": number + 1,
                    "action": "hide",
                    "post_id": number + 1,
                    "agent": None,
                    "category": "spam",
                    "time": 1.0,
                }
            )
        return board

    def test_an_audit_after_a_wave_makes_few_calls(self, run: Run, wave: LogBoard, balancer: Balancer) -> None:
        balancer.refuses = False
        audit = json.loads(run(*AUDIT, "--json").stdout)
        assert (audit["compared"], audit["hidden"], audit["differences"]) == (69, 1631, [])
        # 17 pages of posts, as many looks at the actions, which have 17 pages, and the log itself
        assert len(balancer.calls) < 80
        assert set(balancer.limits()) == {"100"}

    @pytest.mark.parametrize("command", [AUDIT, FOLLOW, ("activity", "--json"), ("moderation", "--json")])
    def test_it_outlasts_a_limit(self, run: Run, wave: LogBoard, balancer: Balancer, command: tuple[str, ...]) -> None:
        result = run(*command)
        assert f"Waiting {WAIT:.0f} seconds" in result.stderr
        assert set(balancer.waits) == {WAIT}
        assert set(balancer.limits()) <= {"100"}
        if command[-1] == "--json":
            assert len(result.stdout.splitlines()) == (1700 if command[0] == "activity" else 1631)

    def test_an_erasure_during_the_audit_explains_a_post(self, run: Run, wave: LogBoard, balancer: Balancer) -> None:
        balancer.refuses = False
        passed_on = balancer.pass_on

        def erasing(board: Board, request: Request) -> Outcome:
            if "activity?after=1600" in request.url:
                wave.posts[1650] |= {"hidden": 0, "title": "", "body": "[erased]"}
                wave.actions.append(wave.actions[-1] | {"id": 1632, "action": "erase", "post_id": 1650})
            return passed_on(board, request)

        balancer.pass_on = erasing  # type: ignore[method-assign]
        audit = json.loads(run(*AUDIT, "--json").stdout)
        assert (audit["hidden"], audit["erased"], audit["differences"]) == (1631, 1, [])

    def test_a_wait_has_a_bound(self, run: Run, wave: LogBoard, balancer: Balancer) -> None:
        assert "64 seconds" in run("--wait", 63, "activity", code=1).stderr
        assert balancer.waits == []
        balancer.pass_on = lambda *_: REFUSED  # type: ignore[method-assign]
        assert "64 seconds" in run("activity", code=1).stderr
        assert 0 < sum(balancer.waits) <= 600

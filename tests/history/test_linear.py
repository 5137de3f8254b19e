"""Porcupine finds what no register can have answered, and accepts calls without an outcome."""

import pytest

from tests.history.linear import not_linear, program
from tests.history.record import Call

Step = tuple[str, int, dict[str, object], dict[str, object]]


def calls(*each: Step) -> list[Call]:
    """Return calls one after the other; status 0 is an unknown outcome."""
    return [
        Call("anna", does, sent, at, None if not status else at + 0.5, outcome(status), status, seen=seen)
        for at, (does, status, sent, seen) in enumerate(each)
    ]


def outcome(status: int) -> str:
    return "unknown" if not status else "ok" if status < 400 else "refused"


def vote(value: int, previous: int = 0, score: int = 0, status: int = 200) -> Step:
    return "vote", status, {"post": 1, "value": value}, {"previous": previous, "score": score}


def score(value: int) -> Step:
    return "list_threads", 200, {}, {"posts": [[1, 1.0, 1, value, 0]]}


def use(token: int, status: int = 200) -> Step:
    return "use_token", status, {"used": token}, {}


def rotate(token: int, issued: int, status: int = 200) -> Step:
    return "rotate", status, {"used": token, "issued": issued}, {}


def acknowledge(at: float, changed: bool, status: int = 200) -> Step:
    return "acknowledge", status, {"event": 1}, {"acked_at": at, "changed": changed}


def event(at: float | None) -> Step:
    return "list_inbox", 200, {}, {"events": [[1, at]]}


RIGHT = (
    (vote(1, 0, 1), score(1), vote(-1, 1, -1), vote(0, -1, 0), score(0)),
    (vote(1, status=0), score(0), score(1), vote(-1, 1, -1)),
    (use(0), rotate(0, 5), use(0, 401), use(5), rotate(0, 6, 401)),
    # the answer of the first attempt is lost, and the second one replaces its token
    (rotate(0, 5, 0), rotate(0, 6), use(6), use(0, 401)),
    # in an outage, no attempt was answered
    (*(rotate(0, attempt, 0) for attempt in range(5, 45)), use(0), use(0)),
    (event(None), acknowledge(1.5, True), acknowledge(1.5, False), event(1.5)),
    (acknowledge(0, False, 0), event(None), event(1.5), acknowledge(1.5, False)),
)
WRONG = (
    (vote(1, 0, 1), vote(-1, 0, -1)),
    (vote(1, 0, 1), score(0)),
    (vote(1, status=0), score(1), score(0)),
    (rotate(0, 5), use(0)),
    (rotate(0, 5), use(5, 401)),
    (rotate(0, 5), use(5), rotate(0, 6)),
    (acknowledge(1.5, True), acknowledge(2.5, True)),
    (acknowledge(1.5, True), event(None)),
    (acknowledge(1.5, True), acknowledge(2.5, False)),
)


# It downloads a module and compiles.
@pytest.mark.slow
def test_porcupine_judges_votes_tokens_and_acknowledgements() -> None:
    if program() is None:
        pytest.skip("It needs Go.")
    for history, is_right in [*((each, True) for each in RIGHT), *((each, False) for each in WRONG)]:
        assert (not_linear(calls(*history)) == []) is is_right, history

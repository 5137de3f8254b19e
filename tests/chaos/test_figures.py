"""The figures show failures that a promise does not allow."""

from collections import Counter

from tests.chaos.figures import failures, is_rare, line, longest_pause, unborne
from tests.chaos.row import ANYTHING
from tests.history.record import Call


def test_pauses_of_the_service_are_measured() -> None:
    assert (longest_pause([5.0, 1.0, 2.0]), longest_pause([])) == (3.0, 0.0)


def test_a_failure_breaks_a_promise_unless_a_fault_bears_it() -> None:
    assert unborne({"503 unavailable": 2, "500 internal_error": 1}, ("503",)) == ["1 x 500 internal_error"]
    assert unborne({"cut": 1}, ()) == ["1 x cut"]


def test_no_fault_bears_a_503_without_a_time_to_wait() -> None:
    unhelpful = "503 unavailable without Retry-After, outcome unknown"
    assert unborne({"503 unavailable": 2, unhelpful: 1}, ANYTHING) == [f"1 x {unhelpful}"]


def test_few_writes_may_have_waited_too_long() -> None:
    waited = {"503 unavailable after waiting": 2}
    assert is_rare(waited, 200)
    assert not is_rare(waited, 199)
    assert not is_rare(waited | {"503 unavailable": 1}, 1000)


def test_the_calls_of_a_time_have_a_line() -> None:
    calls = [
        Call("anna", "create_thread", {}, 1, 1.5, "ok", 201),
        Call("anna", "create_thread", {}, 2, 3, "ok", 201),
        Call("anna", "create_thread", {}, 3, 4, "refused", 429, "429 rate_limited"),
        Call("bert", "vote", {}, 3, 5, "refused", 429, "429 rate_limited"),
    ]
    assert failures(calls) == Counter({"429 rate_limited": 1})
    assert line(calls, 2, 9, 0.5, {"kills": 3}) == (
        "calls 3  acknowledged 1  failed 1 (429 rate_limited 1)  stalled 1.0 s  recovered 0.5 s  longest 2.0 s  "
        "p99 2000 ms (before 500 ms)  kills 3"
    )

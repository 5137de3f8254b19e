"""The figures show failures that a promise does not allow."""

from tests.chaos.figures import is_rare, unborne
from tests.chaos.row import ANYTHING


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

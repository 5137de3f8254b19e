"""The figures of a row show every kind of broken promise."""

from tests.chaos.figures import Figures, longest_pause
from tests.chaos.row import ANYTHING


def test_pauses_of_the_service_are_measured() -> None:
    assert (longest_pause([5.0, 1.0, 2.0]), longest_pause([])) == (3.0, 0.0)


def test_a_violation_breaks_a_promise() -> None:
    figures = Figures(acknowledged=1, violations={"once": ["post 1 is not in the log"]})
    figures.judge(())
    assert figures.broken == ["once: post 1 is not in the log"]
    assert "once 1" in figures.line


def test_failures_break_a_promise_unless_the_row_bears_them() -> None:
    figures = Figures(acknowledged=1)
    figures.failures.update({"503 unavailable": 2, "500 internal_error": 1})
    figures.judge(("503",))
    assert figures.broken == ["1 x 500 internal_error"]


def test_no_row_bears_a_503_without_a_time_to_wait() -> None:
    figures = Figures(acknowledged=1)
    figures.failures.update({"503 unavailable": 2, "503 unavailable without Retry-After, outcome unknown": 1})
    figures.judge(ANYTHING)
    assert figures.broken == ["1 x 503 unavailable without Retry-After, outcome unknown"]


def test_a_board_that_acknowledges_nothing_keeps_no_promise() -> None:
    figures = Figures()
    figures.judge(())
    assert figures.broken == ["nothing was acknowledged"]

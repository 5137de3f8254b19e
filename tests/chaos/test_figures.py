"""The final check counts every kind of broken promise."""

import pytest

from tests.chaos.figures import ZERO, Figures, audit, gaps, longest_pause, missed
from tests.chaos.traffic import Sent

LOG = [(1, "a"), (2, "b"), (3, "c")]


@pytest.mark.parametrize(
    ("sent", "log", "counts"),
    [
        ([Sent("a", "", [1]), Sent("b", "k", [2, 2])], LOG, {"acknowledged": 2}),
        ([Sent("d", "", [4])], LOG, {"acknowledged": 1, "lost": 1}),
        ([Sent("a", "", [2])], LOG, {"acknowledged": 1, "lost": 1}),
        ([Sent("a", "", [1])], [(1, "a"), (2, "a")], {"acknowledged": 1, "doubled": 1}),
        ([Sent("a", "", [], uncertain=True)], [(1, "a"), (2, "a")], {"doubled": 1}),
        ([Sent("a", "k", [1, 2])], [(1, "a"), (2, "a")], {"acknowledged": 2, "doubled": 1}),
        ([Sent("a", "")], LOG, {"false": 1}),
        ([Sent("a", "", uncertain=True), Sent("d", "")], LOG, {}),
    ],
)
def test_the_answers_are_compared_with_the_log(
    sent: list[Sent], log: list[tuple[int, str]], counts: dict[str, int]
) -> None:
    figures = Figures()
    audit(figures, sent, log)
    assert {name: getattr(figures, name) for name in ("acknowledged", *ZERO) if getattr(figures, name)} == counts


@pytest.mark.parametrize(
    ("seen", "wrong"), [([1, 2, 3], 0), ([1, 3], 1), ([1, 2, 2, 3], 1), ([1, 3, 2], 1), ([1, 2, 3, 4], 1), ([], 3)]
)
def test_a_reader_misses_and_repeats_nothing(seen: list[int], wrong: int) -> None:
    assert missed(seen, [1, 2, 3]) == wrong


def test_gaps_of_the_log_and_pauses_of_the_service_are_measured() -> None:
    assert (gaps(LOG), gaps([(1, "a"), (4, "b")]), gaps([])) == (0, 2, 0)
    assert (longest_pause([5.0, 1.0, 2.0]), longest_pause([])) == (3.0, 0.0)


@pytest.mark.parametrize("name", ZERO)
def test_one_is_enough_to_break_a_promise(name: str) -> None:
    figures = Figures(acknowledged=1)
    figures.judge(())
    assert figures.broken == []
    setattr(figures, name, 1)
    figures.judge(())
    assert figures.broken == [f"{name} is not 0"]
    assert f"{name} 1" in figures.line


def test_failures_break_a_promise_unless_the_row_bears_them() -> None:
    figures = Figures(acknowledged=1)
    figures.failures.update({"503 unavailable": 2, "500 internal_error": 1})
    figures.judge(("503",))
    assert figures.broken == ["1 x 500 internal_error"]


def test_a_board_that_acknowledges_nothing_keeps_no_promise() -> None:
    figures = Figures()
    figures.judge(())
    assert figures.broken == ["nothing was acknowledged"]

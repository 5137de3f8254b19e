"""A command that watches goes on while a board is away, and reports that once."""

import time

import pytest

from agent_board_client import polling
from agent_board_client.errors import BoardError, NoToken, RateLimited, Refused, Unreachable
from agent_board_client.terminal import Terminal

AWAY = Unreachable("The board did not answer.")
BUSY = Refused(503, "unavailable", "The board is busy.")


def polled(monkeypatch: pytest.MonkeyPatch, *outcomes: BoardError | None, every: float | None = 60) -> list[float]:
    """Poll with these outcomes, after which the user interrupts; return the pauses."""
    pauses, left = list[float](), iter(outcomes)

    def show() -> None:
        try:
            outcome = next(left)
        except StopIteration:
            raise KeyboardInterrupt from None
        if outcome is not None:
            raise outcome

    monkeypatch.setattr(time, "sleep", pauses.append)
    with pytest.raises(KeyboardInterrupt):
        polling.poll(show, Terminal(), every)
    return pauses


def test_errors_of_one_kind_in_a_row_are_reported_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    limited = RateLimited(5, "posts")
    assert polled(monkeypatch, AWAY, AWAY, BUSY, AWAY, limited, None, AWAY) == [60] * 7
    lines = capsys.readouterr().err.splitlines()
    assert lines == [str(AWAY), str(BUSY), str(limited), limited.hint, str(AWAY)]


@pytest.mark.parametrize(("error", "every"), [(NoToken("There is none."), 60), (AWAY, None)])
def test_other_errors_end_it(monkeypatch: pytest.MonkeyPatch, error: BoardError, every: float | None) -> None:
    with pytest.raises(type(error)):
        polled(monkeypatch, error, every=every)

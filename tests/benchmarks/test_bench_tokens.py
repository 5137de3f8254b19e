"""The tokens of an agent are measured on any board by its address, and meet their targets."""

import sys
import threading
from collections.abc import Iterator

import pytest

from benchmarks import __main__ as program
from benchmarks import targets, tokens
from tests.boards import EmptyBoard
from tests.web import Web


@pytest.fixture
def delivering(empty_board: EmptyBoard) -> Iterator[None]:
    """Deliver events to inboxes, as the fan-out does."""
    ended = threading.Event()

    def deliver() -> None:
        while not ended.wait(0.05):
            empty_board.operator.deliver()

    thread = threading.Thread(target=deliver)
    thread.start()
    yield
    ended.set()
    thread.join()


def measured(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    """Run the program and return its exit status."""
    monkeypatch.setattr(program, "forget_surroundings", lambda: None)
    monkeypatch.setattr(sys, "argv", ["benchmarks", *arguments])
    with pytest.raises(SystemExit) as exit_:
        program.main()
    return exit_.value.code


@pytest.mark.usefixtures("delivering")
def test_a_board_is_measured_by_its_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], empty_web: Web
) -> None:
    assert measured(monkeypatch, "tokens", "--board", empty_web.url) == 0, capsys.readouterr().out
    table = capsys.readouterr().out.rpartition("median")[2]
    for task in ("/skill.md", "quiet visit", "visit with a reply", "search for the question",
                 "answer found from the bare address"):  # fmt: skip
        assert f"tokens, {task} " in table
    assert table.count("<=") == table.count("met") == 5
    # a visit that costs more than its target ends with 1
    monkeypatch.setattr(tokens, "TOKENS_OF_A_QUIET_VISIT", targets.at_most(1))
    assert measured(monkeypatch, "tokens", "--board", empty_web.url) == 1


@pytest.mark.parametrize("arguments", [["--board", "http://127.0.0.1:9"], ["visits", "--board", "http://127.0.0.1:9"]])
def test_only_tokens_of_a_board_are_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert measured(monkeypatch, *arguments) == 2
    assert "--board measures tokens only" in capsys.readouterr().err


def test_an_address_without_a_board_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    status = str(measured(monkeypatch, "tokens", "--board", "http://127.0.0.1:9"))
    assert status.startswith("http://127.0.0.1:9 did not answer as a board does: ")

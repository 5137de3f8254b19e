"""Whole runs of the loader: a right board holds every gate, and bad input is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loadtests.__main__ import main
from loadtests.errors import InvalidRun
from loadtests.ledger import Ledger
from loadtests.run import Run
from loadtests.schedule import check_schedule
from tests.processes import CHECKOUT, ApiProcess

LATENCIES = {"read_latency", "write_latency", "inbox_freshness"}
COMMAND = [sys.executable, "-m", "loadtests", "--agents=24", "--every=2", "--late=60"]


def run(folder: Path, *arguments: str) -> tuple[int, dict[str, Any], str]:
    """Run the loader and return its exit code, result and output."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [*COMMAND, f"--results={folder}", *arguments],
        cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    results = sorted(folder.glob("*/result.json"))
    return done.returncode, json.loads(results[-1].read_text()) if results else {}, done.stdout + done.stderr


def broken(result: dict[str, Any]) -> set[str]:
    return {gate["name"] for gate in result["gates"] if gate["holds"] is False}


def test_a_right_board_holds_every_gate_but_those_of_a_busy_machine(board: ApiProcess, tmp_path: Path) -> None:
    code, result, output = run(tmp_path, f"--board={board.url}", "--seconds=4")
    assert broken(result) <= LATENCIES, output
    assert code == bool(broken(result))
    assert {"read_home", "create_thread", "create_reply", "cast_vote"} <= result["operations"].keys()
    assert result["operations"]["read_home"]["calls"] > 10
    assert (next(tmp_path.glob("2*")) / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_two_processes_share_the_load(board: ApiProcess, tmp_path: Path) -> None:
    _, result, output = run(tmp_path, f"--board={board.url}", "--seconds=8", "--workers=2")
    assert broken(result) <= LATENCIES, output
    log = (next(tmp_path.glob("2*")) / "locust.txt").read_text()
    assert "(index 0) reported as ready" in log
    assert "(index 1) reported as ready" in log


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--profile=flood"], "There is no profile 'flood'; choose one of smoke, "),
        (["--board=http://127.0.0.1:1"], "No answer from http://127.0.0.1:1: "),
        (["--board=ftp://127.0.0.1"], "ftp://127.0.0.1 is not the address of a board"),
        (["--board={not_a_board}"], " answers, but it is not an agent-board."),
        (["--agents=0"], "expected a positive whole number"),
    ],
)
def test_bad_input_is_one_sentence(
    board: ApiProcess, tmp_path: Path, arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    not_a_board = f"http://{board.host}:{board.operator_port}"
    filled = [argument.format(not_a_board=not_a_board) for argument in arguments]
    assert exit_code(f"--results={tmp_path}", *filled) == 2
    assert sentence in capsys.readouterr().err


def exit_code(*arguments: str) -> object:
    """Return the exit code of the loader in this process."""
    try:
        return main(list(arguments))
    except SystemExit as refused:
        return refused.code


def test_a_rate_beyond_the_limit_of_posts_names_the_agents_that_it_needs() -> None:
    wanted = Run("", "smoke", count=100, seconds=60, interval=2, workers=1, seed=1, agents="", records="")
    with pytest.raises(InvalidRun, match=r"let 334 agents visit every 6\.67 s"):
        wanted.check(quota=10, window=60)
    # it should leave room for a visit that starts late
    with pytest.raises(InvalidRun, match="up to 31 posts"):
        wanted.check(quota=30, window=60)
    wanted.check(quota=31, window=60)


def test_a_loader_that_starts_late_makes_the_run_invalid() -> None:
    ledger = Ledger()
    for number in range(100):
        ledger.add("late", 0.2 if number < 5 else 0.01, 0)
    check_schedule(ledger, 0.1)
    ledger.add("late", 0.2, 0)
    with pytest.raises(InvalidRun, match=r"6% of the visits more than 0\.1 s late"):
        check_schedule(ledger, 0.1)

"""`python -m loadtests compare` finds what got slower beyond the noise, and which gates got worse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loadtests.__main__ import main
from loadtests.gates import Gate

Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Write a result.json in a folder of its own, and return the folder."""

    def write(folder: str, p50: float = 10.0, **more: Any) -> str:
        operation = {"calls": 100, "faults": {}, "p50_ms": p50, "p95_ms": 50.0, "p99_ms": 90.0}
        content = {
            "profile": "steady", "agents": 100, "seconds": 60.0, "operations": {"list_threads": operation},
            "gates": [], "cpu": {}, "carries": None, "holds": True,
        }  # fmt: skip
        place = tmp_path / folder
        place.mkdir(parents=True)
        (place / "result.json").write_text(json.dumps(content | more))
        return str(place)

    return write


def test_a_figure_beyond_the_spread_of_equal_runs_is_slower(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [run(f"before/{number}", p50) for number, p50 in enumerate((10.0, 11.0, 12.0))]
    run("noise/0", 13.0), run("slow/0", 14.0)
    # equal runs differ by 20 %, and 13 is 18 % more than their median
    assert main(["compare", *before, "--with", str(tmp_path / "noise")]) == 0
    assert "Nothing got slower beyond the noise." in capsys.readouterr().out
    # a slower operation breaks no gate; folders are searched
    assert main(["compare", str(tmp_path / "before"), "--with", str(tmp_path / "slow")]) == 0
    printed = capsys.readouterr().out
    (slower,) = [line.split() for line in printed.splitlines() if line.startswith("list_threads")]
    assert slower == ["list_threads", "p50", "ms", "11", "14", "+27%", "20%"]
    assert "3 before, 1 after" in printed
    assert main(["compare", str(tmp_path / "slow"), "--with", str(tmp_path / "before")]) == 0
    assert "faster:" in capsys.readouterr().out


def test_one_run_on_each_side_says_that_the_noise_is_not_known(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", run("a", 10.0), run("b", 12.9)]) == 0
    printed = capsys.readouterr().out
    assert "30 % of noise is assumed" in printed
    assert "Nothing got slower" in printed
    assert main(["compare", run("c", 10.0), run("d", 14.0)]) == 0
    assert "list_threads p50 ms" in capsys.readouterr().out


def test_percentiles_of_few_calls_and_differences_below_a_millisecond_are_not_compared(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    few = {"calls": 199, "faults": {}, "p50_ms": 0.5, "p95_ms": 10.0, "p99_ms": 10.0}
    slow = few | {"p50_ms": 1.4, "p95_ms": 90.0, "p99_ms": 90.0}
    assert main(["compare", run("a", operations={"read_me": few}), run("b", operations={"read_me": slow})]) == 0
    assert "Nothing got slower" in capsys.readouterr().out


def test_more_cpu_and_fewer_visits_are_slower(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    carries = {"journey": "asker", "visits": 200.0, "calls": 1.0, "broken": [], "saturated": "none", "cpu": {}}
    before = run("a", cpu={"api": 0.5}, carries=carries)
    assert main(["compare", before, run("b", cpu={"api": 0.9}, carries=carries | {"visits": 100.0})]) == 0
    printed = capsys.readouterr().out
    assert "api cores" in printed
    assert "ms between visits carried" in printed


def gate(name: str, figure: str, holds: bool) -> dict[str, Any]:
    return Gate(name, "steady", figure, "1.00%", holds).__dict__


def test_a_gate_that_breaks_more_often_is_an_exit_status(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = gate("read_latency", "1 of 900", True), gate("read_latency", "99 of 900", False)
    assert main(["compare", run("a", gates=[good]), run("b", gates=[bad])]) == 1
    assert "WORSE read_latency (steady): 1 of 900 before, 99 of 900 after" in capsys.readouterr().out
    # it should be no news that it was broken before
    assert main(["compare", run("c", gates=[bad]), run("d", gates=[bad])]) == 0
    assert main(["compare", run("e", gates=[bad]), run("f", gates=[good])]) == 0
    # a gate that only the later runs have holds before
    assert main(["compare", run("g"), run("h", gates=[gate("gaps and repeats in the log", "1", False)])]) == 1


def test_what_cannot_be_compared_is_one_sentence(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = run("good")
    (tmp_path / "text").write_text("no JSON")
    (tmp_path / "list").write_text("[]")
    (tmp_path / "empty").mkdir()
    for bad, words in (
        (str(tmp_path / "absent"), "absent cannot be read: No such file or directory."),
        (str(tmp_path / "text"), "text is not the result of a load test."),
        (str(tmp_path / "list"), "list is not the result of a load test."),
        (str(tmp_path / "empty"), "empty contains no result.json."),
        (run("half", gates=None), "half/result.json is not the result of a load test."),
        (run("other", agents=7), "Runs of different loads cannot be compared: "),
    ):
        assert main(["compare", good, bad]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("Cannot compare: ")
        assert words in line


@pytest.mark.parametrize("arguments", [[], ["a"], ["a", "b", "c"], ["--wiht", "a"]])
def test_wrong_usage_is_status_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["compare", *arguments])
    assert stopped.value.code == 2

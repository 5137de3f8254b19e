"""`make bench` exits with 1 if a ratio misses its target, and names it."""

import sys
from contextlib import nullcontext

import pytest

from benchmarks import __main__ as program
from benchmarks.report import Report
from deploy.local.postgresql import PostgreSQL


def bench(monkeypatch: pytest.MonkeyPatch, *ratios: tuple[float, float | None, bool, bool]) -> int | str | None:
    """Run the program with one part that reports these ratios: value, target, at most, every round."""

    def part(_server: PostgreSQL, report: Report, _rounds: int, _seconds: float) -> None:
        for number, (ratio, target, at_most, every) in enumerate(ratios):
            report.add(f"ratio {number}", ratio * 0.9, target, at_most, every)
            report.add(f"ratio {number}", ratio, target, at_most, every)
            report.add(f"ratio {number}", ratio * 1.1, target, at_most, every)

    monkeypatch.setattr(program, "PARTS", {"storage": part})
    # the part needs no server, and the surroundings are those of other tests, too
    monkeypatch.setattr(program, "stage", nullcontext)
    monkeypatch.setattr(program, "forget_surroundings", lambda: None)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "storage"])
    with pytest.raises(SystemExit) as exit_:
        program.main()
    return exit_.value.code


@pytest.mark.parametrize(
    ("ratio", "code"),
    [
        ((1.0, None, False, False), 0),
        ((1.0, 1.0, False, False), 0),
        ((1.0, 1.01, False, False), 1),
        ((1.0, 1.0, True, False), 0),
        ((1.0, 0.99, True, False), 1),
        ((1.0, 0.95, False, True), 1),
        ((1.0, 1.05, True, True), 1),
        ((1.0, 1.2, True, True), 0),
    ],
)
def test_a_missed_target_ends_with_1(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ratio: tuple[float, float | None, bool, bool],
    code: int,
) -> None:
    assert bench(monkeypatch, (2.0, None, False, False), ratio) == code
    printed = capsys.readouterr().out
    assert ("\n1 of 2 ratios miss their target:\n  ratio 1\n" in printed) == (code == 1)
    assert "reference" in printed

"""`make bench` exits with 1 if a ratio misses its target, and names it; the targets are those of one table."""

import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks import targets
from benchmarks.report import Report
from services.local.postgresql import PostgreSQL

FOLDER = Path(targets.__file__).parent


def bench(monkeypatch: pytest.MonkeyPatch, *ratios: tuple[float, float]) -> int | str | None:
    """Run the program with one part that reports these ratios, each with its target."""

    def part(_server: PostgreSQL, report: Report, _rounds: int, _seconds: float) -> None:
        for number, (ratio, target) in enumerate(ratios):
            for each in (ratio * 0.9, ratio, ratio * 1.1):
                report.add(f"ratio {number}", each, target)

    monkeypatch.setattr(program, "PARTS", {"search": part})
    # the part needs no server, and the surroundings are those of other tests, too
    monkeypatch.setattr(program, "stage", nullcontext)
    monkeypatch.setattr(program, "forget_surroundings", lambda: None)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "search"])
    with pytest.raises(SystemExit) as exit_:
        program.main()
    return exit_.value.code


@pytest.mark.parametrize(("ratio", "code"), [((1.0, 1.0), 0), ((1.0, 0.99), 1), ((0.0, 0), 0)])
def test_a_missed_target_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ratio: tuple[float, float], code: int
) -> None:
    assert bench(monkeypatch, (2.0, 2.0), ratio) == code
    printed = capsys.readouterr().out
    assert ("\n1 of 2 ratios miss their target:\n  ratio 1\n" in printed) == (code == 1)


def test_each_part_has_targets_and_each_target_a_part() -> None:
    texts = {
        name: Path(sys.modules[part.__module__].__file__ or "").read_text() for name, part in program.PARTS.items()
    }
    assert [name for name, text in texts.items() if "from benchmarks.targets import" not in text] == []
    names = {name for name in vars(targets) if name.isupper()}
    assert [name for name in names if not any(name in text for text in texts.values())] == []

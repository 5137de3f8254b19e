"""The mutants match the code: a stale line or a renamed test would make a mutant useless."""

import re
from pathlib import Path

import pytest

from tests.mutants.__main__ import share
from tests.mutants.mutant import CHECKOUT, Mutant, mutants

FUNCTION = re.compile(r"^ *(?:async )?def (\w+)", re.MULTILINE)


def test_there_are_at_least_forty_mutants() -> None:
    assert len(mutants()) >= 40


@pytest.mark.parametrize("mutant", mutants(), ids=lambda mutant: str(mutant.name))
def test_a_mutant_names_one_line_and_tests_that_exist(mutant: Mutant, tmp_path: Path) -> None:
    copy = tmp_path / mutant.file
    copy.parent.mkdir(parents=True)
    copy.write_text((CHECKOUT / mutant.file).read_text(encoding="utf-8"), encoding="utf-8")
    right = copy.read_text(encoding="utf-8")
    with mutant.applied(tmp_path):
        assert copy.read_text(encoding="utf-8") != right
    # it should restore the copy for the next mutant
    assert copy.read_text(encoding="utf-8") == right
    assert mutant.tests
    for test in mutant.tests:
        path, _, function = test.partition("::")
        assert not function or function.partition("[")[0] in functions_of(CHECKOUT / path), test


def functions_of(path: Path) -> set[str]:
    return set(FUNCTION.findall(path.read_text(encoding="utf-8")))


def test_each_mutant_has_its_day() -> None:
    shares = [share(mutants(), 3, day) for day in (739_000, 739_001, 739_002)]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert sorted(mutant.name for each in shares for mutant in each) == sorted(mutant.name for mutant in mutants())


def test_a_stale_mutant_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("a = 1\na = 1\n")
    for was in ("b = 1", "a = 1"):
        with pytest.raises(ValueError, match="must be once"), Mutant("m", "x.py", was, "", []).applied(tmp_path):
            pass

"""The mutants match the code: a stale line or a renamed test would make a mutant useless."""

import re
from functools import cache
from pathlib import Path

import pytest

from tests.mutants.mutant import CHECKOUT, Mutant, mutants
from tests.shares import share

FUNCTION = re.compile(r"^ *(?:async )?def (\w+)", re.MULTILINE)


def test_there_are_at_least_forty_mutants() -> None:
    assert len(mutants()) >= 40


def test_every_mutant_names_one_line_and_tests_that_exist() -> None:
    stale = [each.name for each in mutants() if content_of(each.file).count(each.was) != 1 or each.was == each.becomes]
    assert stale == []
    named = [(mutant.name, test) for mutant in mutants() for test in mutant.tests or [""]]
    assert [each for each in named if not exists(each[1])] == []


def exists(test: str) -> bool:
    path, _, function = test.partition("::")
    return (CHECKOUT / path).is_file() and (not function or function.partition("[")[0] in functions_of(path))


@cache
def content_of(file: str) -> str:
    return (CHECKOUT / file).read_text(encoding="utf-8")


@cache
def functions_of(path: str) -> set[str]:
    return set(FUNCTION.findall(content_of(path)))


def test_a_mutant_is_undone(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("a = 1\n")
    with Mutant("m", "x.py", "1", "2", []).applied(tmp_path):
        assert (tmp_path / "x.py").read_text() == "a = 2\n"
    # for the next mutant
    assert (tmp_path / "x.py").read_text() == "a = 1\n"


def test_each_mutant_has_its_day() -> None:
    shares = [share(mutants(), 3, day) for day in (739_000, 739_001, 739_002)]
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert sorted(mutant.name for each in shares for mutant in each) == sorted(mutant.name for mutant in mutants())


def test_a_stale_mutant_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("a = 1\na = 1\n")
    for was in ("b = 1", "a = 1"):
        with pytest.raises(ValueError, match="must be once"), Mutant("m", "x.py", was, "", []).applied(tmp_path):
            pass

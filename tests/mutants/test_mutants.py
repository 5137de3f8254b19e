"""The mutants match the code: a stale line or a renamed test would make a mutant useless."""

import re
from functools import cache

from tests.mutants.mutant import CHECKOUT, mutants

FUNCTION = re.compile(r"^ *(?:async )?def (\w+)", re.MULTILINE)


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

"""Every row of the matrix runs or names tests that exist."""

from tests.chaos.table import ROWS
from tests.mutants.test_mutants import exists


def test_names_are_unique() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_a_row_has_a_fault_or_tests_that_exist() -> None:
    assert [row.name for row in ROWS if not row.fault and not row.tests] == []
    named = [test for row in ROWS for test in row.tests]
    assert [test for test in named if not exists(test)] == []

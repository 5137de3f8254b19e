"""Every row of the matrix runs or names tests that exist."""

import pytest

from tests.chaos.row import Row
from tests.chaos.table import ROWS
from tests.mutants.mutant import CHECKOUT
from tests.mutants.test_mutants import functions_of


def test_names_are_unique() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.name))
def test_a_row_has_a_fault_or_tests_that_exist(row: Row) -> None:
    assert row.fault or row.tests
    assert row.fault or not row.short
    for test in row.tests:
        path, _, function = test.partition("::")
        assert not function or function in functions_of(CHECKOUT / path), test
        assert (CHECKOUT / path).is_file(), test

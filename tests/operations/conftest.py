"""What the tests of operations need besides the cast."""

import pytest

from tests.operations.hand import Operator


@pytest.fixture
def operator(shared_database: str) -> Operator:
    """The operator of the board that the tests of this file share."""
    return Operator(shared_database)

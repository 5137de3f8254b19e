"""The operator of the board that the tests of a file share."""

import pytest

from tests.operations.hand import Operator


@pytest.fixture
def operator(shared_database: str) -> Operator:
    return Operator(shared_database)

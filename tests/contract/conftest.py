"""What the tests over the contract need besides the cast."""

from typing import Any

import pytest

from tests.contract.examples import belongings
from tests.operations.hand import Operator
from tests.web import Agent


@pytest.fixture
def operator(shared_database: str) -> Operator:
    """The operator of the board that the tests of this file share."""
    return Operator(shared_database)


@pytest.fixture
def post(alice: Agent, operator: Operator, request: pytest.FixtureRequest) -> dict[str, Any]:
    """A thread of alice's, and what the operation of this test is called on besides."""
    if "operation" not in request.fixturenames:
        return alice.thread()
    return alice.thread() | belongings(request.getfixturevalue("operation"), alice, operator.deliver)

"""Objects for the operations that the tests of the contract call."""

from collections.abc import Callable
from typing import Any

import pytest

from services.contract.operation import Operation
from tests.contract.examples import belongings
from tests.operations.hand import Operator
from tests.web import Agent


@pytest.fixture
def objects(alice: Agent, operator: Operator) -> Callable[[Operation], dict[str, Any]]:
    """Returns Alice's thread, with the ids of the other objects that an operation needs."""
    thread = alice.thread()
    return lambda operation: thread | belongings(operation, alice, operator.deliver)


@pytest.fixture
def caller(alice: Agent) -> Callable[[Operation], Agent]:
    """Returns the caller of an operation: the rotation replaces the token of its caller."""
    return lambda operation: alice.register() if operation.name == "rotate_token" else alice

"""What the tests of the wire need besides the cast."""

from collections.abc import Callable, Iterator

import pytest

from tests.api.raw import Raw
from tests.operations.hand import Operator
from tests.processes import ApiProcess


@pytest.fixture
def raw(api: ApiProcess) -> Iterator[Raw]:
    """A connection of the test's own."""
    with Raw(api.url) as connection:
        yield connection


@pytest.fixture
def connect(api: ApiProcess) -> Iterator[Callable[[], Raw]]:
    """Opens more connections."""
    opened: list[Raw] = []

    def open_one() -> Raw:
        opened.append(Raw(api.url))
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.socket.close()


@pytest.fixture
def operator(shared_database: str) -> Operator:
    """The operator of the board that the tests of this file share."""
    return Operator(shared_database)

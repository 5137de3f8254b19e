"""Raw connections for the tests of the HTTP transport."""

from collections.abc import Callable, Iterator

import pytest

from tests.api.raw import Raw
from tests.processes import ApiProcess


@pytest.fixture
def raw(api: ApiProcess) -> Iterator[Raw]:
    """A raw connection for this test."""
    with Raw(api.url) as connection:
        yield connection


@pytest.fixture
def connect(api: ApiProcess) -> Iterator[Callable[[], Raw]]:
    """A function that opens more connections."""
    opened: list[Raw] = []

    def open_one() -> Raw:
        opened.append(Raw(api.url))
        return opened[-1]

    yield open_one
    for connection in opened:
        connection.socket.close()

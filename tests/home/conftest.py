"""A board of each test's own: what the dashboard picks depends on everything there is."""

from collections.abc import Callable, Iterator

import pytest

from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web


@pytest.fixture
def web(start_api: Callable[..., ApiProcess]) -> Iterator[Web]:
    with Web(start_api().url) as client:
        yield client


@pytest.fixture
def operator(database: str) -> Operator:
    return Operator(database)

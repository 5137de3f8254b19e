"""Databases that are not migrated yet."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from services.local.postgresql import PostgreSQL
from tests.conftest import numbers
from tests.databases import temporary_database


@pytest.fixture
def new_url(postgresql: PostgreSQL) -> Iterator[Callable[[], str]]:
    """Creates an empty database and returns its address."""
    with ExitStack() as created:
        yield lambda: created.enter_context(temporary_database(postgresql, f"empty_{next(numbers)}", "template1"))


@pytest.fixture
def empty_url(new_url: Callable[[], str]) -> str:
    return new_url()


@pytest.fixture
def second_url(new_url: Callable[[], str]) -> str:
    return new_url()


@pytest.fixture
def board_url(database: str) -> str:
    """The address of a database that was migrated in the same way as operators do it."""
    return database

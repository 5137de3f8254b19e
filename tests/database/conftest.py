"""Databases that are not migrated yet."""

from collections.abc import Callable

import pytest

from services.local.postgresql import PostgreSQL
from tests.conftest import numbers
from tests.databases import create_database


@pytest.fixture
def new_url(postgresql: PostgreSQL) -> Callable[[], str]:
    """Creates an empty database and returns its address."""
    return lambda: create_database(postgresql, f"empty_{next(numbers)}", "template1")


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

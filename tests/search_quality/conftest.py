"""An empty board in its database, for each test."""

from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.board.database.connections import writing_connection


@pytest.fixture
async def db(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(database)
    yield connection
    await connection.close()

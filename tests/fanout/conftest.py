"""Fan-out processes on a board for one test, and direct connections to its database."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from tests.alarm import no_hanging  # noqa: F401
from tests.load import Member, enlist
from tests.processes import FanoutProcess


@pytest.fixture
def fanout(database: str, tmp_path: Path) -> Iterator[FanoutProcess]:
    """A fan-out process on this test's database, which the test starts."""
    process = FanoutProcess(database, tmp_path / "fanout")
    yield process
    process.stop()


@pytest.fixture
def connect(database: str) -> Callable[[], "asyncpg.Connection"]:
    """Opens connections with long timeouts."""
    return lambda: writing_connection(
        database, application_name="a test", lock_timeout="300s", statement_timeout="300s"
    )


@pytest.fixture
async def db(connect: Callable[[], "asyncpg.Connection"]) -> AsyncIterator[asyncpg.Connection]:
    connection = await connect()
    yield connection
    await connection.close()


@pytest.fixture
async def other_db(connect: Callable[[], "asyncpg.Connection"]) -> AsyncIterator[asyncpg.Connection]:
    connection = await connect()
    yield connection
    await connection.close()


@pytest.fixture
async def alice(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]


@pytest.fixture
async def bob(db: asyncpg.Connection) -> Member:
    return (await enlist(db, 1))[0]

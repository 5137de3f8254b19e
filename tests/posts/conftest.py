"""Two patient API processes on one board, and a direct connection to its database."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest

from services.board.database.connections import writing_connection
from services.local.postgresql import PostgreSQL
from tests.alarm import no_hanging  # noqa: F401
from tests.databases import create_database
from tests.load import Client
from tests.processes import ApiProcess, Started


class PatientApi(ApiProcess):
    """An API process that does not give up while a test delays it."""

    module = "tests.posts.patient_api"


@pytest.fixture(scope="session")
def board_url(postgresql: PostgreSQL) -> str:
    """The address of the board that the tests of this folder share."""
    return create_database(postgresql, "board_of_the_log")


@pytest.fixture(scope="session")
def replicas(board_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ApiProcess, ApiProcess]]:
    """Two processes of the shared board."""
    folder = tmp_path_factory.mktemp("replicas")
    same = {"BASE_URL": "http://board.test"}
    with PatientApi(board_url, folder / "a", **same) as a, PatientApi(board_url, folder / "b", **same) as b:
        yield a, b


@pytest.fixture
async def clients(replicas: tuple[ApiProcess, ApiProcess]) -> AsyncIterator[tuple[Client, Client]]:
    """A client of each of the two."""
    async with Client(replicas[0].url) as a, Client(replicas[1].url) as b:
        yield a, b


@pytest.fixture
async def db(board_url: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the shared board's database; times are Unix seconds."""
    connection = await connect(board_url)
    yield connection
    await connection.close()


@pytest.fixture
async def own_db(database: str) -> AsyncIterator[asyncpg.Connection]:
    """A connection to the test's own database; times are Unix seconds."""
    connection = await connect(database)
    yield connection
    await connection.close()


@pytest.fixture
def start_patient_api(database: str, tmp_path: Path, started: Started) -> Callable[..., ApiProcess]:
    """Starts patient API processes on this test's database; settings are passed by name."""
    numbers = itertools.count()

    def start(**settings: str) -> ApiProcess:
        url = settings.pop("DATABASE_URL", database)
        return started.start(PatientApi(url, tmp_path / f"patient{next(numbers)}", **settings))

    return start


async def connect(url: str) -> asyncpg.Connection:
    """Open a connection like the board's own for writing, under another name."""
    return await writing_connection(url, application_name="a test")

"""What tests stand on: a real PostgreSQL, a migrated template database cloned per test file, a real api process.

The cast: alice publishes, bob follows, carol must see nothing of theirs. Each test has them fresh.
"""

import asyncio
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest

from deploy.local.postgresql import PostgreSQL
from services.board.migrations import migrate
from tests.processes import ApiProcess
from tests.web import Agent, Web

# the environment cannot leak in
for name in ("DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "LIMITER_URL", "BASE_URL", "PORT", "OPERATOR_PORT"):
    os.environ.pop(name, None)
os.environ.pop("API_REPLICAS", None)

Reading = Callable[[str], str]
TEMPLATE = "board_template"
numbers = itertools.count(1)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    """One server for the tests of this worker. A test that stops or kills a server takes one of its own."""
    with PostgreSQL(tmp_path_factory.mktemp("postgresql"), throwaway=True) as server:
        yield server


@pytest.fixture(scope="session")
def template(postgresql: PostgreSQL) -> str:
    """The name of a migrated, empty database to be cloned."""
    create_database(postgresql, TEMPLATE, "template1")
    asyncio.run(migrate(postgresql.url(TEMPLATE), lambda _: None, postgresql.reading_url(TEMPLATE)))
    return TEMPLATE


def create_database(server: PostgreSQL, name: str, template: str) -> str:
    """Clone a database and return its address."""

    async def clone() -> None:
        connection = await asyncpg.connect(server.url())
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        await connection.close()

    asyncio.run(clone())
    return server.url(name)


@pytest.fixture(scope="session")
def reading(postgresql: PostgreSQL, template: str) -> Reading:
    """Makes of a database's address that for the role which can only read."""
    return lambda url: postgresql.reading_url(urlsplit(url).path[1:])


@pytest.fixture
def database(postgresql: PostgreSQL, template: str) -> str:
    """The address of a database of this test's own."""
    return create_database(postgresql, f"board_{next(numbers)}", template)


@pytest.fixture(scope="module")
def shared_database(postgresql: PostgreSQL, template: str) -> str:
    """The address of the database that the tests of one file share."""
    return create_database(postgresql, f"board_{next(numbers)}", template)


@pytest.fixture(scope="module")
def api(shared_database: str, reading: Reading, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """One api process that the tests of one file share."""
    folder = tmp_path_factory.mktemp("api")
    with ApiProcess(shared_database, folder, READ_DATABASE_URL=reading(shared_database)) as process:
        yield process


@pytest.fixture
def start_api(database: str, reading: Reading, tmp_path: Path) -> Iterator[Callable[..., ApiProcess]]:
    """Starts api processes on this test's database; settings by name."""
    started: list[ApiProcess] = []

    def start(**settings: str) -> ApiProcess:
        if "DATABASE_URL" not in settings:
            settings.setdefault("READ_DATABASE_URL", reading(database))
        process = ApiProcess(settings.pop("DATABASE_URL", database), tmp_path / f"api{len(started)}", **settings)
        started.append(process)
        process.start()
        return process

    yield start
    for process in started:
        process.stop()


@pytest.fixture
def web(api: ApiProcess) -> Iterator[Web]:
    """A client without a token."""
    with Web(api.url) as client:
        yield client


@pytest.fixture
def alice(web: Web) -> Agent:
    return web.register("alice")


@pytest.fixture
def bob(web: Web) -> Agent:
    return web.register("bob")


@pytest.fixture
def carol(web: Web) -> Agent:
    return web.register("carol")

"""The board to which the loads of all tests go."""

from collections.abc import Iterator

import pytest

from services.local.postgresql import PostgreSQL
from tests.conftest import Reading
from tests.databases import create_database
from tests.processes import ApiProcess, FanoutProcess, started_together


@pytest.fixture(scope="session")
def board(postgresql: PostgreSQL, reading: Reading, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiProcess]:
    """A board with a fan-out and a wide limit of posts, so that a few agents can publish enough."""
    url = create_database(postgresql, "loadtests")
    folder = tmp_path_factory.mktemp("board")
    settings = {"READ_DATABASE_URL": reading(url), "LIMIT_POSTS": "10000/60"}
    api, fanout = ApiProcess(url, folder / "api", **settings), FanoutProcess(url, folder / "fanout", **settings)
    with started_together([api, fanout]):
        yield api

"""A Valkey, patient limiters, and API processes behind them, shared by the tests of a worker."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest
import redis

from services.api import limiter_client
from services.api.cache.change_feed import ChangeFeed
from services.api.limiter_client import LimiterClient
from services.api.request.throttle import Throttle
from services.board.access.freezes import FreezeInForce
from services.board.access.rates import RatesInForce, read_rates
from services.board.database.connections import reading_connection, writing_connection
from services.limiter import window
from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey
from services.process.metrics import Registry
from tests.alarm import HANGS_SECONDS, no_hanging  # noqa: F401
from tests.databases import create_database
from tests.limiter.posting import BoardRates, CountedReads, reset_rates
from tests.limiter.processes import PatientLimiter
from tests.operations.hand import Operator
from tests.posts.conftest import PatientApi
from tests.processes import ApiProcess, Started


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Redis may take as long as it needs to answer a test."""
    monkeypatch.setattr(window, "ANSWER_SECONDS", HANGS_SECONDS)


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    """One server for the tests of this worker. A test that stops, fills or kills a server uses its own."""
    with Valkey(tmp_path_factory.mktemp("valkey")) as server:
        yield server


@pytest.fixture
def store(valkey: Valkey) -> Iterator[redis.Redis]:
    """A connection to the shared server, empty at first."""
    with redis.Redis.from_url(valkey.url()) as connection:
        connection.flushall()
        yield connection


@pytest.fixture(scope="session")
def shared_limiter(valkey: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PatientLimiter]:
    with PatientLimiter(valkey.url(), tmp_path_factory.mktemp("limiter")) as process:
        yield process


@pytest.fixture
def limiter(shared_limiter: PatientLimiter, store: redis.Redis) -> PatientLimiter:
    """A limiter with empty windows."""
    return shared_limiter


@pytest.fixture
def start_limiter(valkey: Valkey, tmp_path: Path, started: Started) -> Callable[..., PatientLimiter]:
    """Starts further patient limiters; settings are passed by name."""
    numbers = itertools.count()

    def start(redis_url: str = "", **settings: str) -> PatientLimiter:
        folder = tmp_path / f"limiter{next(numbers)}"
        return started.start(PatientLimiter(redis_url or valkey.url(), folder, **settings))

    return start


@pytest.fixture(scope="session")
def limited_database(postgresql: PostgreSQL) -> str:
    """The address of the database of all API processes behind the shared limiter."""
    return create_database(postgresql, "board_limited")


@pytest.fixture(scope="session")
def api(
    limited_database: str, shared_limiter: PatientLimiter, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiProcess]:
    """A patient API process behind the shared limiter."""
    with PatientApi(limited_database, tmp_path_factory.mktemp("api"), LIMITER_URL=shared_limiter.url) as process:
        yield process


@pytest.fixture(scope="session")
def other_api(
    limited_database: str, shared_limiter: PatientLimiter, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiProcess]:
    """Another API process of the same board. It trusts proxies on this machine and in 10.0.0.0/8."""
    settings = {"TRUSTED_PROXIES": "127.0.0.0/8, 10.0.0.0/8", "LIMITER_URL": shared_limiter.url}
    with PatientApi(limited_database, tmp_path_factory.mktemp("other"), **settings) as process:
        yield process


@pytest.fixture
async def db(limited_database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(limited_database)
    yield connection
    await reset_rates(connection)
    await connection.close()


@pytest.fixture
def operator(limited_database: str) -> Iterator[Operator]:
    with Operator(limited_database) as operator:
        yield operator


@pytest.fixture
def rates(operator: Operator) -> Iterator[BoardRates]:
    """The rates of the board behind the shared limiter. The test may change them."""
    yield BoardRates(operator)
    operator.act(reset_rates)


@pytest.fixture
def reads(db: asyncpg.Connection) -> CountedReads:
    return CountedReads(db)


@pytest.fixture
async def throttle(
    limiter: PatientLimiter, reads: CountedReads, limited_database: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Throttle]:
    """A throttle in this process, on the real limiter and the real database."""
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", HANGS_SECONDS)
    rates = RatesInForce()

    async def follow(connection: asyncpg.Connection) -> None:
        rates.follow(await read_rates(connection))

    feed = ChangeFeed(lambda: reading_connection(limited_database), print, print, Registry(), follow)
    throttle = Throttle(LimiterClient(limiter.url, Registry()), feed, rates, FreezeInForce(), reads, Registry())
    yield throttle
    await throttle.close()
    await feed.close()

"""A Valkey, limiters that are patient, and api processes behind them."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import asyncpg
import pytest
import redis

from deploy.local.valkey import Valkey
from services.api import limiter_client, throttle
from services.api.limiter_client import LimiterClient
from services.api.throttle import Throttle
from services.board.database import writing_connection
from services.board.process.metrics import Registry
from services.limiter import window
from tests.alarm import alarm
from tests.limiter.posting import Counted
from tests.limiter.processes import PatientApi, PatientLimiter
from tests.processes import ApiProcess

HANGS_SECONDS = 300
numbers = itertools.count(1)


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """A test that waits for what never comes fails, and does not stop the others."""
    with alarm(HANGS_SECONDS):
        yield


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test asks of Redis from its own process takes as long as it takes."""
    monkeypatch.setattr(window, "ANSWER_SECONDS", HANGS_SECONDS)


@pytest.fixture(scope="session")
def valkey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
    """One server for the tests of this worker. A test that stops, fills or kills a server takes one of its own."""
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
    """A limiter whose windows are empty and whose policies are those of the settings."""
    for policy in shared_limiter.operate("GET", "/policies")[1]["policies"]:
        # a change of the posts rate takes half a second
        if policy.pop("setting") != policy:
            assert shared_limiter.operate("DELETE", f"/policies/{policy['name']}?who=a+test")[0] == 200
    store.flushall()
    return shared_limiter


@pytest.fixture
def start_limiter(valkey: Valkey, tmp_path: Path) -> Iterator[Callable[..., PatientLimiter]]:
    """Starts further patient limiters; settings by name."""
    started: list[PatientLimiter] = []

    def start(redis_url: str = "", **settings: str) -> PatientLimiter:
        process = PatientLimiter(redis_url or valkey.url(), tmp_path / f"limiter{len(started)}", **settings)
        started.append(process)
        process.start()
        return process

    yield start
    for process in started:
        process.stop()


@pytest.fixture(scope="module")
def api(
    shared_database: str, shared_limiter: PatientLimiter, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ApiProcess]:
    """One patient api process behind the shared limiter, for the tests of one file."""
    folder = tmp_path_factory.mktemp("api")
    with PatientApi(shared_database, folder, LIMITER_URL=shared_limiter.url) as process:
        yield process


@pytest.fixture
async def db(shared_database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(shared_database)
    yield connection
    await connection.close()


@pytest.fixture
async def log(db: asyncpg.Connection) -> Counted:
    return Counted(db)


@pytest.fixture
async def held(limiter: PatientLimiter, log: Counted, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Throttle]:
    """A throttle of this process, on the real limiter and the real log, that always waits for the limiter's word."""
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)
    monkeypatch.setattr(throttle, "LEASE_SECONDS", 0)
    client = LimiterClient(limiter.url, Registry())
    await client.start()
    waiting = Throttle(client, log, Registry(), 100)
    yield waiting
    await waiting.close()

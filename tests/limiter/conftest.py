"""A Valkey, limiters that are patient, and api processes behind them."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import redis

from deploy.local.valkey import Valkey
from services.limiter import window
from tests.alarm import alarm
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
    for policy in ("posts", "votes", "account", "acks", "registrations", "failed_logins"):
        assert shared_limiter.operate("DELETE", f"/policies/{policy}?who=a+test")[0] == 200
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

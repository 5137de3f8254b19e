"""A real HAProxy in front of real API processes that share one host name."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.alarm import no_hanging  # noqa: F401
from tests.balancer.balancer import Balancer, program
from tests.processes import ApiProcess, Started
from tests.web import Web

SHORT = {"timeout client": "2s", "timeout http-request": "2s", "wait-for-body time": "2s"}
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4")


def replica(balancer: Balancer, database_url: str, address: str, folder: Path, **settings: str) -> ApiProcess:
    """An API process where the balancer expects it at an address; it trusts only the balancer as a proxy."""
    return ApiProcess(
        database_url,
        folder,
        HOST=address,
        PORT=str(balancer.api_port),
        OPERATOR_PORT=str(balancer.api_operator_port),
        BASE_URL=balancer.url,
        TRUSTED_PROXIES="127.0.0.1/32",
        **settings,
    )


@pytest.fixture(scope="module")
def balancer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balancer]:
    """One HAProxy for the tests of one file."""
    program()
    with Balancer(tmp_path_factory.mktemp("balancer"), SHORT) as process:
        yield process


@pytest.fixture(scope="module")
def replicas(
    balancer: Balancer, module_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[ApiProcess]]:
    """Two API processes behind it, for tests that leave them as they are."""
    folder = tmp_path_factory.mktemp("replicas")
    processes = [replica(balancer, module_database, address, folder / address) for address in ADDRESSES[:2]]
    try:
        for process in processes:
            process.launch()
        for process in processes:
            process.wait_until_ready()
        balancer.name(*ADDRESSES[:2])
        yield processes
    finally:
        for process in processes:
            process.stop()


@pytest.fixture
def web(balancer: Balancer, replicas: list[ApiProcess]) -> Iterator[Web]:
    """A client of the balancer without a token."""
    with Web(balancer.url) as client:
        yield client


@pytest.fixture
def start_balancer(tmp_path: Path) -> Iterator[Callable[..., Balancer]]:
    """Starts an HAProxy for one test; configuration variables are passed by name."""
    program()
    started: list[Balancer] = []

    def start(**variables: str) -> Balancer:
        process = Balancer(tmp_path / f"balancer{len(started)}", **variables)
        started.append(process)
        return process.__enter__()

    yield start
    for process in started:
        process.__exit__()


@pytest.fixture
def start_replica(database: str, tmp_path: Path, started: Started) -> Callable[..., ApiProcess]:
    """Starts an API process for one test behind a balancer, at an address; settings are passed by name."""
    numbers = itertools.count()

    def start(balancer: Balancer, address: str, **settings: str) -> ApiProcess:
        return started.start(replica(balancer, database, address, tmp_path / f"replica{next(numbers)}", **settings))

    return start

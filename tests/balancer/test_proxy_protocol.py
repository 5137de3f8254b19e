"""Behind a proxy that sends the PROXY protocol, calls are counted by the address that its header names."""

from collections.abc import Iterator

import pytest

from tests.balancer.balancer import Balancer, program
from tests.balancer.client import Connection
from tests.balancer.recorder import Recorder
from tests.raw import request

ADDRESS = "127.0.0.6"
READ = request("GET", "/api/threads")
# one per second, and bursts of four times as many
REQUESTS = 4


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Balancer, Recorder]]:
    """A balancer behind a proxy, and the server that answers its calls."""
    program()
    variables = {"PROXY_PROTOCOL": "on", "REQUESTS_PER_SECOND": "1", "CONNECTIONS_PER_ADDRESS": "2"}
    with (
        Balancer(tmp_path_factory.mktemp("behind"), **variables) as balancer,
        Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port) as recorder,
    ):
        balancer.name(ADDRESS)
        yield balancer, recorder


def proxied(balancer: Balancer, client: str) -> Connection:
    """A connection of a proxy on 127.0.0.1, on behalf of a client."""
    return Connection(balancer).send(f"PROXY TCP4 {client} 127.0.0.1 40000 80\r\n".encode())


def test_the_api_receives_the_clients_address(behind: tuple[Balancer, Recorder]) -> None:
    balancer, recorder = behind
    with proxied(balancer, "192.0.2.1") as connection:
        assert connection.ask(READ).status == 200
    assert b"\r\nx-forwarded-for: 192.0.2.1\r\n" in recorder.requests[-1]


def test_requests_are_counted_by_the_clients_address(behind: tuple[Balancer, Recorder]) -> None:
    balancer, _ = behind
    with proxied(balancer, "192.0.2.2") as connection:
        answered = [connection.ask(READ).status for _ in range(200)]
    assert answered[:REQUESTS] == [200] * REQUESTS
    assert 429 in answered
    with proxied(balancer, "192.0.2.3") as another:
        assert another.ask(READ).status == 200


def test_a_connection_without_the_header_is_closed(behind: tuple[Balancer, Recorder]) -> None:
    balancer, _ = behind
    with Connection(balancer).send(READ) as connection:
        assert connection.is_closed()

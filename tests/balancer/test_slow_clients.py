"""A request must arrive completely in time, however slowly it trickles; until then no replica receives any of it."""

import time
from typing import Any

import pytest

from services.contract.operations import NAMED
from tests.balancer.balancer import Balancer, version
from tests.balancer.client import Connection, check_own, check_transport
from tests.processes import ApiProcess
from tests.raw import as_json, request

# of the balancer in this folder
REQUEST_SECONDS = 2
PAUSE_SECONDS = 0.2
LATE_SECONDS = 60


def trickle(connection: Connection, parts: list[bytes]) -> float:
    """Send a byte at a time, each well within any idle timeout, and return the seconds until the answer."""
    began = time.monotonic()
    connection.socket.settimeout(PAUSE_SECONDS)
    for part in parts:
        connection.send(part)
        try:
            connection.receive()
            break
        except TimeoutError:
            assert time.monotonic() - began < LATE_SECONDS, "the balancer still listens"
    connection.socket.settimeout(LATE_SECONDS)
    return time.monotonic() - began


def bytewise(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


def test_a_slow_head_is_cut_off(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    with Connection(balancer) as connection:
        connection.send(b"GET /api/threads HTTP/1.1\r\n")
        took = trickle(connection, bytewise(b"X-Slow: " + b"x" * 100))
        answer = connection.answer()
        assert connection.is_closed()
    assert answer.status == 408
    assert took >= REQUEST_SECONDS - 1
    if version() >= (3, 2):
        assert answer.code == "request_timeout"
        check_transport(answer)


@pytest.mark.parametrize("sent_at_once", [1, 100_000])
def test_a_slow_body_is_cut_off(balancer: Balancer, replicas: list[ApiProcess], sent_at_once: int) -> None:
    body = as_json({"title": "t", "body": "b" * 120_000})
    whole = request("POST", "/api/threads", body)
    begun = len(whole) - len(body) + sent_at_once
    with Connection(balancer) as connection:
        connection.send(whole[:begun])
        took = trickle(connection, bytewise(whole[begun : begun + 100]))
        answer = connection.answer()
        assert connection.is_closed()
    assert (answer.status, answer.code) == (408, "request_timeout")
    assert took >= REQUEST_SECONDS - 1
    check_own(answer, NAMED["create_thread"])
    # it should not have reached a replica
    assert not str(balancer.logged(answer.headers["X-Request-Id"])["replica"]).startswith("api")


def test_a_client_that_does_not_read_is_cut_off(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    with Connection(balancer) as connection:
        # the answers are far more than the buffers of both sides hold
        connection.send(request("GET", "/openapi.json") * 300)
        balancer.wait_for(lambda: any(is_cut_off(line) for line in balancer.log_lines()))


def is_cut_off(line: dict[str, Any]) -> bool:
    """Whether the time for a client has run out while it should read."""
    return line["operation"] == "read_openapi" and line["ended"] in ("cD", "cL")


def test_a_body_sent_after_100_continue_is_accepted(balancer: Balancer, replicas: list[ApiProcess]) -> None:
    body = as_json({"name": "expectant"})
    whole = request("POST", "/api/agents/register", body, "Expect: 100-continue")
    with Connection(balancer) as connection:
        assert connection.ask(whole[: -len(body)]).status == 100
        assert connection.ask(body).status == 201
        assert connection.ask(request("GET", "/api/health")).status == 200

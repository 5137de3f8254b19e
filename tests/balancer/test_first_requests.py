"""A load balancer that has no addresses yet, as each worker after a reload, lets its first requests wait for them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic

import pytest

from tests.balancer.balancer import Balancer, program
from tests.balancer.client import Connection
from tests.balancer.recorder import Recorder
from tests.raw import request

ADDRESS = "127.0.0.7"
ALL_THERE = 'haproxy_frontend_current_sessions{proxy="board"} 4'


def status(balancer: Balancer, path: str) -> int:
    with Connection(balancer) as connection:
        return connection.ask(request("GET", path)).status


@pytest.mark.parametrize("path", ["/api/threads", "/mcp"])
def test_the_first_requests_wait_for_the_addresses(tmp_path: Path, path: str) -> None:
    program()
    balancer = Balancer(tmp_path, MCP_HOST="mcp")
    balancer.variables["MCP_PORT"] = str(balancer.api_port)
    balancer.names.addresses = None
    recorder = Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port)
    with recorder, ThreadPoolExecutor() as clients, balancer:
        waiting = [clients.submit(status, balancer, path) for _ in range(4)]
        balancer.wait_for(lambda: any(each.done() for each in waiting) or ALL_THERE in balancer.metrics())
        balancer.names.addresses = [ADDRESS]
        assert [each.result() for each in waiting] == [200] * 4


def test_a_board_without_an_address_is_unavailable_after_a_short_wait(tmp_path: Path) -> None:
    program()
    with Balancer(tmp_path) as balancer:
        balancer.names.addresses = []
        assert status(balancer, "/api/threads") == 503


def test_known_addresses_are_not_asked_for_again(tmp_path: Path) -> None:
    program()
    balancer = Balancer(tmp_path)
    recorder = Recorder(ADDRESS, balancer.api_port, balancer.api_operator_port)
    with recorder, balancer:
        balancer.name(ADDRESS)
        recorder.ready = False
        balancer.wait_until_ready(0)
        balancer.names.addresses = None
        end = monotonic() + 3
        # an answer counts for a second, and after that a question waits for 4
        while (began := monotonic()) < end:
            assert status(balancer, "/api/threads") == 200
            assert monotonic() - began < 2

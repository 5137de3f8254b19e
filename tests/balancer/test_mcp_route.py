"""/mcp behind HAProxy: the real MCP server in front of a real API process, or none."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

from services.local.ports import free_port
from tests.balancer.balancer import UNLIMITED, Balancer
from tests.client.test_mcp import PUBLIC_READS, text_of
from tests.processes import ApiProcess
from tests.web import Web

BOARD = Path(sys.executable).with_name("board")
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
STRICT = {**UNLIMITED, "SEARCHES_PER_SECOND": "2"}


@pytest.fixture
def board(
    start_balancer: Callable[..., Balancer], start_replica: Callable[..., ApiProcess], tmp_path: Path
) -> Iterator[Balancer]:
    """A load balancer with an API process, and an MCP server at another address."""
    port = free_port()
    balancer = start_balancer(MCP_HOST="mcp", MCP_PORT=str(port), **STRICT)
    replica = start_replica(balancer, "127.0.0.2", MCP_SERVED="true")
    command = [str(BOARD), "--board", replica.url, "mcp", "--http", f"127.0.0.2:{port}", "--public-url", balancer.url]
    environment = {"AGENT_BOARD_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "/mcp" in process.stdout.readline()
        balancer.name("127.0.0.2")
        balancer.wait_for(lambda: is_up(balancer))
        yield balancer
        process.send_signal(signal.SIGTERM)


def is_up(balancer: Balancer) -> bool:
    found = re.search(r'haproxy_server_check_status\{proxy="mcp",server="mcp1",state="L7OK"\} 1', balancer.metrics())
    return found is not None


async def test_a_client_finds_the_server_in_the_card_and_reads_the_board(board: Balancer) -> None:
    from mcp.client.client import Client

    with Web(board.url) as web:
        address = web.get("/.well-known/agent-card.json").json["mcp"]
    async with Client(address) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == PUBLIC_READS
        assert text_of(await client.call_tool("board_start", {})).startswith("The board has ")


def test_its_answers_have_the_headers_of_the_board_and_its_calls_count_as_searches(board: Balancer) -> None:
    with httpx2.Client(base_url=board.url, headers=HEADERS) as client:
        answer = client.post("/mcp", json=PING)
        assert answer.status_code == 200
        assert answer.headers["Agent-Effect"] == "none"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert board.logged(answer.headers["X-Request-Id"])["operation"] == "mcp"
        assert client.post("/mcp", json=PING, headers={"Host": "evil.example"}).status_code == 421
        assert client.post("/mcp", content=b" " * (1 << 18) + b"{}").status_code == 413
        found = [client.post("/mcp", json=PING) for _ in range(10)]
        assert [each.status_code for each in found[-2:]] == [429, 429]
        assert found[-1].headers["RateLimit-Policy"].startswith('"searches"')


def test_without_it_the_path_does_not_exist(web: Web, balancer: Balancer) -> None:
    assert web.post("/mcp").status == 404

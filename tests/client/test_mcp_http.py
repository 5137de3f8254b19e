"""`board mcp --http`: the real command, called over HTTP by the client of the MCP SDK and by hand."""

import json
import subprocess
from typing import Any

import httpx2
import pytest

from tests.client.conftest import BOARD, PUBLIC
from tests.client.test_mcp import PUBLIC_READS, inside, text_of
from tests.web import Agent

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


async def test_a_model_without_an_account_reads_the_board(mcp_address: str, alice: Agent) -> None:
    from mcp.client.client import Client

    thread = alice.thread("Ask me", "So?")
    async with Client(mcp_address) as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert tools.keys() == PUBLIC_READS
        assert all(hints is not None and hints.read_only_hint for hints in tools.values())
        read = await client.call_tool("read_thread", {"thread_id": thread["id"]})
        assert inside(text_of(read))["thread"] == thread
        for name, arguments in (("vote", {"post_id": 1, "value": 1}), ("home", {})):
            assert (await client.call_tool(name, arguments)).is_error
        # pages have the public address, wherever the board is reached from here
        (page,) = (await client.read_resource(f"{PUBLIC}/skill.md")).contents
        assert "name: agent-board" in page.text  # type: ignore[union-attr]


def test_requests_are_bounded_and_name_a_known_host(mcp_address: str) -> None:
    def post(content: bytes = json.dumps(PING).encode(), **headers: str) -> int:
        return httpx2.post(mcp_address, content=content, headers=HEADERS | headers).status_code

    for host in ("board.example", "board.example:443", "localhost:1"):
        assert post(Host=host) == 200, host
    for host in ("evil.example", "board.example.evil.example", "board.example:8000", "localhost.evil.example"):
        assert post(Host=host) == 421, host
    assert post(Origin=PUBLIC) == 200
    for origin in ("https://evil.example", "http://board.example", "null"):
        assert post(Origin=origin) == 403, origin
    assert post(b" " * (1 << 18) + b"{}") == 413
    # a stream would stay open
    for method in ("GET", "DELETE"):
        assert httpx2.request(method, mcp_address, headers=HEADERS).status_code == 405
    assert httpx2.get(mcp_address.replace("/mcp", "/livez")).text == "alive\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--http", "nowhere"], "This is not an address to serve at."),
        (["--http", "192.0.2.1:1"], "Cannot listen on 192.0.2.1:1"),
        (["127.0.0.1:1"], "needs HTTP"),
    ],
)
def test_wrong_usage_is_one_sentence(environment: dict[str, str], arguments: list[str], sentence: str) -> None:
    done: Any = subprocess.run([BOARD, "mcp", *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr

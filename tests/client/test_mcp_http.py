"""`board mcp --http`: the real command, called over HTTP by the client of the MCP SDK and by hand."""

import json
from collections.abc import Callable, Iterator

import httpx2
import pytest

from tests.client.conftest import PUBLIC
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
        read = await client.call_tool("board_read_thread", {"thread_id": thread["id"]})
        assert inside(text_of(read)).endswith(": Ask me\n  So?")
        assert text_of(read).startswith(f"People read this at {PUBLIC}/t/{thread['id']}.")
        for name, arguments in (("board_vote", {"post_id": 1, "value": 1}), ("board_home", {})):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert f"To take part, your owner runs: board --board {PUBLIC} join NAME." in text_of(refused)


Post = Callable[..., int]


@pytest.fixture
def post(mcp_address: str) -> Iterator[Post]:
    """Sends a ping, or other content, and returns the status of the answer."""
    with httpx2.Client() as client:

        def post_it(headers: dict[str, str], content: bytes = json.dumps(PING).encode()) -> int:
            answer = client.post(mcp_address, content=content, headers=HEADERS | headers)
            return answer.status_code

        yield post_it


def test_a_page_that_points_its_name_here_is_refused(post: Post) -> None:
    for host in ("board.example", "board.example:443", "localhost", "localhost:1", "127.0.0.1:8200", "[::1]:8200"):
        assert post({"Host": host}) == 200, host
    for host in (
        "evil.example", "board.example.evil.example", "board.example:80", "localhost.evil.example",
        "127.0.0.1.evil.example", "192.0.2.1", "",
    ):  # fmt: skip
        assert post({"Host": host}) == 421, host
    for origin in (PUBLIC, f"{PUBLIC}:443", "http://localhost", "https://localhost:8443", "http://[::1]"):
        assert post({"Origin": origin}) == 200, origin
    for origin in ("null", "https://evil.example", "http://board.example", "http://localhost.evil.example"):
        assert post({"Origin": origin}) == 403, origin


def test_requests_are_bounded(post: Post, mcp_address: str) -> None:
    assert post({}, b" " * (1 << 16) + b"{}") == 413
    # a form of a web page needs no permission of its browser
    assert post({"Content-Type": "text/plain"}) == 400
    for malformed in (b"no JSON", b"[" * 60_000, b"[]", b"\xff", b'{"jsonrpc":"2.0","id":1,"method":1}'):
        assert post({}, malformed) == 400, malformed[:20]
    # a stream would stay open
    for method in ("GET", "DELETE"):
        assert httpx2.request(method, mcp_address, headers=HEADERS).status_code == 405
    assert httpx2.get(mcp_address.replace("/mcp", "/livez")).text == "alive\n"

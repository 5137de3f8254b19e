"""`board mcp --http`: the real command, called over HTTP by the client of the MCP SDK and by hand."""

import json
import subprocess
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.client.conftest import PUBLIC, forked_board
from tests.client.test_mcp import PUBLIC_READS, inside, text_of
from tests.raw import Connection
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
        # pages have the public address, wherever the board is reached from here
        (page,) = (await client.read_resource(f"{PUBLIC}/skill.md")).contents
        assert "name: agent-board" in page.text  # type: ignore[union-attr]


Post = Callable[..., int]


@pytest.fixture
def post(mcp_address: str) -> Iterator[Post]:
    """Sends a ping, or other content, and returns the status of the answer."""
    with httpx2.Client() as client:

        def post_it(headers: dict[str, str], content: bytes = json.dumps(PING).encode()) -> int:
            answer = client.post(mcp_address, content=content, headers=HEADERS | headers)
            return answer.status_code

        yield post_it


def test_hosts_are_parsed(post: Post) -> None:
    for host in (
        "board.example", "board.example:443", "board.example:0443", "board.example:", "BOARD.Example.", "localhost:1",
        "LOCALHOST:8462", "localhost.", "127.0.0.1", "127.0.0.1:65535", "127.0.0.2:80", "[::1]", "[::1]:8200",
        "[0:0:0:0:0:0:0:1]", "[::FFFF:127.0.0.1]:1",
    ):  # fmt: skip
        assert post({"Host": host}) == 200, host
    for host in (
        "evil.example", "board.example.evil.example", "board.example:8000", "board.example:80",
        "localhost.evil.example", "127.0.0.1.evil.example",
        "192.0.2.1", "[2001:db8::1]", "[::ffff:192.0.2.1]", "127.1", "2130706433", "0x7f.1",
        "xlocalhost", "0.0.0.0", "",
    ):  # fmt: skip
        assert post({"Host": host}) == 421, host
    for host in (
        "127.0.0.1:evil.example", "localhost:80@evil.example", "user@localhost", "localhost:0", "localhost:65536",
        "localhost:-1", "localhost:+1", "localhost:1:1", "localhost:1 1", "localhost..", ".localhost", "::1", "[::1",
        "[::1]x", "[::1%1]", "[127.0.0.1]", "[localhost]", "localhost/", "localhost#", "http://localhost",
        "localhost, localhost", "local%68ost", "*",
    ):  # fmt: skip
        assert post({"Host": host}) == 400, host


def test_origins_are_parsed(post: Post) -> None:
    for origin in (
        PUBLIC, f"{PUBLIC}:443", PUBLIC.upper(), "http://localhost", "https://localhost:8443", "http://[::1]",
        "https://[::1]:1", "https://127.0.0.1", "HTTP://LOCALHOST:8462", "http://localhost.",
    ):  # fmt: skip
        assert post({"Origin": origin}) == 200, origin
    for origin in (
        "", "null", "https://evil.example", "http://board.example", "https://board.example:8443", "localhost",
        "//localhost", "ftp://localhost", "http://localhost:80@evil.example", "http://127.0.0.1:evil.example",
        "http://localhost.evil.example", "http://localhost/", "http://localhost?a", "http://localhost#a", "http://",
        "http:localhost", "http://user@localhost", "http://localhost:65536", "http://::1", "http://localhost http://a",
        "http://localhost, http://localhost", "file://localhost", "http://localhost\\",
    ):  # fmt: skip
        assert post({"Origin": origin}) == 403, origin


def test_media_types_are_parsed(post: Post) -> None:
    for media_type in (
        "APPLICATION/JSON", "Application/Json; Charset=UTF-8", 'application/json\t;charset="utf-8"', "application/json;"
    ):  # fmt: skip
        assert post({"Content-Type": media_type}) == 200, media_type
    for media_type in ("text/plain", "application/jsonx", "application", "json", "text/plain; application/json", ""):
        assert post({"Content-Type": media_type}) == 415, media_type
    assert post({"Content-Encoding": "IDENTITY"}) == 200
    assert post({"Content-Encoding": "gzip"}) == 415


def test_white_space_around_a_value_is_not_part_of_it(mcp_address: str) -> None:
    fields = {
        "Host": "localhost",
        "Origin": PUBLIC,
        "Content-Length": str(len(json.dumps(PING))),
        "Expect": "100-continue",
    }
    lines = [f"{name}: \t {value} \t" for name, value in (HEADERS | fields).items()]
    with Connection("127.0.0.1", urlsplit(mcp_address).port or 0) as connection:
        connection.send("\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode())
        assert connection.answer().status == 100
        assert connection.ask(json.dumps(PING).encode()).status == 200


def test_a_value_is_sent_once(mcp_address: str) -> None:
    known = HEADERS | {"Host": "localhost", "Origin": PUBLIC, "Content-Length": "2"}
    for name, status in (("Host", 400), ("Origin", 403), ("Content-Type", 415)):
        lines = [f"{one}: {value}" for one, value in (*known.items(), (name, known[name]))]
        with Connection("127.0.0.1", urlsplit(mcp_address).port or 0) as connection:
            connection.send("\r\n".join(["POST /mcp HTTP/1.1", *lines, "Connection: close", "", "{}"]).encode())
            assert connection.rest().startswith(b"HTTP/1.1 %d " % status), name


def test_requests_are_bounded(post: Post, mcp_address: str) -> None:
    assert post({}, b" " * (1 << 18) + b"{}") == 413
    # a stream would stay open
    for method in ("GET", "DELETE"):
        assert httpx2.request(method, mcp_address, headers=HEADERS).status_code == 405
    assert httpx2.get(mcp_address.replace("/mcp", "/livez")).text == "alive\n"


def test_no_answer_leads_to_the_host_that_a_caller_names(mcp_address: str) -> None:
    for path in ("/mcp/", "/livez/", "/mcp//", "//mcp", "/mcp/?a"):
        address = mcp_address.removesuffix("/mcp") + path
        answer = httpx2.post(address, json=PING, headers=HEADERS | {"Host": "evil.example"})
        assert answer.status_code == 404, path
        assert "evil.example" not in f"{answer.headers} {answer.text}"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--http", "nowhere"], "This is not an address to serve at."),
        (["--http", "192.0.2.1:1"], "Cannot listen on 192.0.2.1:1"),
        (["127.0.0.1:1"], "needs HTTP"),
    ],
)
def test_wrong_usage_is_one_sentence(environment: dict[str, str], arguments: list[str], sentence: str) -> None:
    command = [forked_board(), "mcp", *arguments]
    done: Any = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr

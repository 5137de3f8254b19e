"""No tool drops what a caller sends: it is refused by its name, and nothing reaches the board."""

import json
import re
import subprocess
from asyncio import to_thread
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams

from agent_board_client import BoardError, mcp_arguments, mcp_messages
from tests.client.conftest import ServeMCP, forked_board
from tests.client.hostile import HostileBoard, answer
from tests.client.test_mcp import PUBLIC_READS, READS, TOKEN, WRITES, connected, text_of
from tests.client.test_mcp_fence import CALLS
from tests.client.test_mcp_http import HEADERS
from tests.client.test_mcp_lines import START

LIMIT, BODIES = {"minimum": 1, "maximum": 100}, {"minimum": 0, "maximum": 4000}
UNKNOWN = ("dry_run", "self", "_meta", "", "caf\u00e9", "two words")
# A tool, its arguments, and the name in the refusal.
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("board_receipt_verify", {"post_id": 1, "digest": "0" * 64}, "digest"),
    ("board_receipt_verify", {"post_id": 1, "sha256": ""}, "sha256"),
    ("board_receipt_verify", {"post_id": True}, "post_id"),
    ("board_receipt_verify", {"post_id": [1]}, "post_id"),
    ("board_receipt_verify", {"sha256": "0" * 64}, "post_id"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "dry_run": True}, "dry_run"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "community": ""}, "community"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "wanted_capabilities": "sql"}, "wanted_capabilities"),
    ("board_post_thread", {"title": "A", "body": "B", "wanted_capabilities": [{"a": 1}]}, "wanted_capabilities.0"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "confidence": "0.5"}, "confidence"),
    ("board_reply", {"thread_id": 1, "body": "So.", "replyTo": 2}, "replyTo"),
    ("board_reply", {"thread_id": 1, "body": "So.", "reply_to": "2"}, "reply_to"),
    ("board_reply", {"thread_id": 1.5, "body": "So."}, "thread_id"),
    ("board_vote", {"post_id": 1, "value": True}, "value"),
    ("board_ack", {"ids": 1}, "ids"),
    ("board_list_threads", {"author": ""}, "author"),
    ("board_inbox", {"unacked": "no"}, "unacked"),
    ("board_home", {"limit": 0}, "limit"),
    ("board_home", {"limit": -1}, "limit"),
    ("board_home", {"after": -1}, "after"),
    ("board_search", {"words": "page", "limit": 101}, "limit"),
    ("board_read_post", {"post_id": 1, "limit": 0}, "limit"),
    ("board_read_post", {"post_id": 1, "start": -1}, "start"),
    ("board_subscriptions", {"offset": -1}, "offset"),
    ("board_activity", {"after": -1}, "after"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "confidence": 1.1}, "confidence"),
]  # fmt: skip

SENTENCES = {
    "This argument is unknown", "This argument is required", "An empty text is no value; leave the argument out",
    *(f"This must be {kind}" for kind in (
        "a whole number", "a number", "a text", "a list", "true or false", "at least 0", "at least 1",
        "at most 1", "at most 100",
    )),
}  # fmt: skip


def request(number: int, method: str, params: Any, **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params, **more}


def calls(tools: set[str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield calls of all tools, each with an argument that no tool has, and the name of it."""
    for tool in sorted(tools):
        sent = CALLS.get(tool, {})
        for name in (*UNKNOWN, *(f"{known}s" for known in sent)):
            yield tool, sent | {name: None if name == "self" else "x"}, name


def over_stdio(address: str, messages: list[dict[str, Any]], environment: dict[str, str]) -> list[Any]:
    text = b"".join(line + b"\n" for line in (*START, *(json.dumps(message).encode() for message in messages)))
    command: list[Any] = [forked_board(), "--board", address, "mcp", "--write"]
    done = subprocess.run(command, input=text, env=environment, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()[1:]]


def over_http(address: str, messages: list[dict[str, Any]]) -> list[Any]:
    with httpx2.Client(headers=HEADERS) as client:
        return [client.post(address, json=message).json() for message in messages]


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_every_tool_refuses_an_unknown_argument_by_its_name(
    transport: str, environment: dict[str, str], serve_mcp: ServeMCP
) -> None:
    table = list(calls(PUBLIC_READS if transport == "http" else READS | WRITES))
    messages = [
        request(number, "tools/call", {"name": tool, "arguments": arguments})
        for number, (tool, arguments, _) in enumerate(table)
    ]
    async with HostileBoard() as board:
        if transport == "http":
            answers = await to_thread(over_http, serve_mcp(board.address), messages)
        else:
            answers = await to_thread(over_stdio, board.address, messages, environment)
        assert board.heads == []
    texts = {answer["id"]: answer["result"]["content"][0]["text"] for answer in answers if answer["result"]["isError"]}
    assert texts.keys() == set(range(len(table)))
    for number, (tool, _, name) in enumerate(table):
        assert f"{name}: This argument is unknown. Allowed: " in texts[number], tool


async def test_wrong_and_empty_values_are_refused_by_their_names() -> None:
    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        for tool, arguments, name in WRONG:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            (sentence,) = re.findall(rf"^Nothing was sent to the board\. {name}: ([^:]*)\.", text_of(result))
            assert sentence in SENTENCES
        assert board.heads == []


def test_a_confidence_beyond_all_numbers_is_refused() -> None:
    from agent_board_client.mcp_arguments import Arguments
    from agent_board_client.mcp_parameters import Confidence

    def publish(confidence: Confidence) -> None: ...

    with pytest.raises(BoardError, match="confidence: This must be a finite number"):
        Arguments(publish).checked(json.loads('{"confidence": 1e999}'))


async def test_no_schema_allows_what_is_refused() -> None:
    def objects(schema: Any) -> Iterator[dict[str, Any]]:
        if isinstance(schema, dict):
            if schema.get("type") == "object":
                yield schema
            for part in schema.values():
                yield from objects(part)
        elif isinstance(schema, list):
            for part in schema:
                yield from objects(part)

    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        for tool in (await client.list_tools()).tools:
            found = list(objects(tool.input_schema))
            assert found
            assert all(schema["additionalProperties"] is False for schema in found), tool.name
            # bounds should be in the schema, not in words that each tool repeats
            fields = tool.input_schema["properties"]
            assert fields.get("limit", LIMIT).items() >= LIMIT.items(), tool.name
            assert fields.get("body", BODIES).items() >= BODIES.items() or tool.name in WRITES, tool.name
            assert "1 to 100" not in str(fields), tool.name


async def test_every_choice_in_a_schema_is_between_texts() -> None:
    """A large provider of models refuses all tools of a server if one of them has another choice."""

    def choices(schema: Any) -> Iterator[Any]:
        if isinstance(schema, dict):
            yield from schema.get("enum", [])
            yield from [schema["const"]] if "const" in schema else []
        parts = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
        for part in parts:
            yield from choices(part)

    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        found = {tool.name: list(choices(tool.input_schema)) for tool in (await client.list_tools()).tools}
    assert found.keys() == READS | WRITES
    assert any(found.values())
    assert {name for name, values in found.items() if any(not isinstance(value, str) for value in values)} == set()


async def test_a_value_means_what_it_spells() -> None:
    """A text that is JSON stays a text, and a whole number may have a point, as in JSON Schema."""
    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        board.parts = answer("404 Not Found")
        await client.call_tool("board_list_threads", {"author": "null", "community": "[]", "offset": 2.0})
    assert board.heads[0].startswith(b"GET /api/threads?community=%5B%5D&author=null&limit=10&offset=2&body=200&")


DROPPED = [
    (request(0, "tools/call", {"name": "board_list_threads", "argument": {"author": "ada"}}), "argument"),
    (request(1, "tools/call", {"name": "board_list_threads", "author": "ada"}), "author"),
    (request(2, "tools/call", {"name": "board_list_threads"}, arguments={"author": "ada"}), "arguments"),
    (request(3, "resources/read", {"uri": "https://board.example/skill.md", "range": "0-9"}), "range"),
    (request(4, "tools/list", {"cursor": "2"}), "cursor"),
    (request(5, "resources/list", {"cursor": "2"}), "cursor"),
]


async def test_members_that_no_method_has_are_refused(environment: dict[str, str], serve_mcp: ServeMCP) -> None:
    messages = [message for message, _ in DROPPED]
    async with HostileBoard() as board:
        address = serve_mcp(board.address)
        answers = await to_thread(over_http, address, messages)
        answers += await to_thread(over_stdio, board.address, messages, environment)
        assert board.heads == []
    assert len(answers) == 2 * len(DROPPED)
    for refused in answers:
        _, name = DROPPED[refused["id"]]
        sentence = rf"{name}: (This member of params is unknown|A request has no such member)"
        assert re.match(sentence, refused["error"]["message"])


def listed(query: str) -> None:
    """A tool."""


def recording(put: Callable[..., str], worded: list[str]) -> Callable[..., str]:
    """Return a function that also adds its arguments to a list."""

    def put_and_record(*texts: object) -> str:
        worded.extend(map(str, texts))
        return put(*texts)

    return put_and_record


@pytest.mark.parametrize(
    "refuse",
    [
        lambda sent: mcp_arguments.Arguments(listed).checked(sent),
        lambda sent: mcp_arguments.check_members(sent, CallToolRequestParams),
        lambda sent: mcp_messages.parsed(json.dumps({**request(1, "tools/call", {}), **sent}).encode()),
    ],
    ids=["arguments", "params", "members"],
)
def test_only_the_unknown_names_that_are_shown_are_put_into_words(
    monkeypatch: pytest.MonkeyPatch, refuse: Callable[[dict[str, int]], object]
) -> None:
    worded: list[str] = []
    for module, function in ((mcp_arguments, "one_line"), (mcp_arguments, "unknown_names"), (mcp_messages, "one_line")):
        monkeypatch.setattr(module, function, recording(getattr(module, function), worded))
    with pytest.raises((BoardError, MCPError, mcp_messages.Malformed), match="name0"):
        refuse({f"name{number}": 1 for number in range(6000)})
    assert 0 < len("".join(worded)) < 2000


async def test_a_crash_does_not_repeat_what_the_board_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_board_client import mcp_reading

    def fail(*_: Any) -> None:
        raise KeyError("the words of the board")

    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        board.parts = answer("200 OK", b'{"items":[],"has_more":false,"next_after":0}')
        with monkeypatch.context() as patch:
            patch.setattr(mcp_reading, "listed", fail)
            with pytest.raises(MCPError, match="a fault of this server"):
                await client.call_tool("board_activity", {})
        assert not (await client.call_tool("board_activity", {})).is_error

"""No tool drops what a caller sends: it is refused by its name, and nothing reaches the board."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.client.hostile import HostileBoard, answer
from tests.client.test_mcp import READS, TOKEN, WRITES, connected, text_of
from tests.client.test_mcp_fence import CALLS

LIMIT, BODIES = {"minimum": 1, "maximum": 100}, {"minimum": 0, "maximum": 4000}
UNKNOWN = ("dry_run", "self", "_meta", "", "caf\u00e9", "two words")
# A tool, its arguments, and the name in the refusal.
WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("board_receipt_verify", {"post_id": 1, "digest": "0" * 64}, "digest"),
    ("board_receipt_verify", {"post_id": 1, "sha256": ""}, "sha256"),
    ("board_receipt_verify", {"post_id": True}, "post_id"),
    ("board_receipt_verify", {"sha256": "0" * 64}, "post_id"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "wanted_capabilities": "sql"}, "wanted_capabilities"),
    ("board_post_thread", {"title": "A", "body": "B", "wanted_capabilities": [{"a": 1}]}, "wanted_capabilities.0"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "confidence": "0.5"}, "confidence"),
    ("board_reply", {"thread_id": 1, "body": "So.", "reply_to": "2"}, "reply_to"),
    ("board_reply", {"thread_id": 1.5, "body": "So."}, "thread_id"),
    ("board_ack", {"ids": 1}, "ids"),
    ("board_inbox", {"unacked": "no"}, "unacked"),
    ("board_home", {"limit": 0}, "limit"),
    ("board_search", {"words": "page", "limit": 101}, "limit"),
    ("board_read_post", {"post_id": 1, "start": -1}, "start"),
    ("board_post_thread", {"title": "How?", "body": "Why?", "confidence": 1.1}, "confidence"),
]  # fmt: skip


def calls(tools: set[str]) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield calls of all tools, each with an argument that no tool has, and the name of it."""
    for tool in sorted(tools):
        sent = CALLS.get(tool, {})
        for name in (*UNKNOWN, *(f"{known}s" for known in sent)):
            yield tool, sent | {name: None if name == "self" else "x"}, name


async def test_every_tool_refuses_an_unknown_argument_by_its_name() -> None:
    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        for tool, arguments, name in calls(READS | WRITES):
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert f"{name}: This argument is unknown. Allowed: " in text_of(result), tool
        assert board.heads == []


async def test_wrong_and_empty_values_are_refused_by_their_names() -> None:
    async with HostileBoard() as board, connected(board.address, TOKEN) as client:
        for tool, arguments, name in WRONG:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert re.match(rf"Nothing was sent to the board\. {re.escape(name)}: [A-Z][^:]+\.", text_of(result))
        assert board.heads == []


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

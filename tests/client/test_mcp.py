"""`board mcp`, driven by the client of the MCP SDK.

The SDK takes a second to import, so only the process that runs these tests does.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agent_board_client import AsyncBoard
from tests.client.conftest import written
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent

if TYPE_CHECKING:
    from mcp.client.client import Client

PUBLIC_READS = {
    "board_start", "board_search", "board_list_threads", "board_read_thread", "board_read_post", "board_opportunities",
    "board_activity", "board_agent", "board_agent_posts", "board_receipt_verify",
}  # fmt: skip
READS = PUBLIC_READS | {"board_home", "board_inbox", "board_my_profile", "board_subscriptions"}
SETTINGS = {"board_vote", "board_follow", "board_unfollow", "board_ack", "board_update_profile"}
WRITES = SETTINGS | {"board_post_thread", "board_reply", "board_rotate_token"}
FENCE = re.compile(r".*--- begin (?P<boundary>\d{12}): [^\n]*\n(?P<text>.*)\n--- end (?P=boundary).*", re.DOTALL)
TOKEN = f"agb_{'A' * 43}0DofJ8"


def text_of(result: Any) -> str:
    """The one text of a result. Only results without texts of others have structured content."""
    (content,) = result.content
    return str(content.text)


def inside(text: str) -> str:
    """The text within the fence."""
    matched = FENCE.fullmatch(text)
    assert matched is not None, text
    return matched["text"]


def facts(result: Any) -> Any:
    """The structured content of a result."""
    assert not result.is_error, result
    return result.structured_content


@asynccontextmanager
async def connected(
    address: str, token: str | None, *, home: Path | None = None, **options: Any
) -> "AsyncIterator[Client]":
    from mcp.client.client import Client

    from agent_board_client.mcp_server import ANSWER_BYTES_MAX, server_for

    async with (
        AsyncBoard(address, token=token, home=home, answer_bytes=ANSWER_BYTES_MAX) as board,
        Client(server_for(board, **options)) as client,
    ):
        yield client


async def test_every_tool_works_and_states_what_it_changes(
    api: ApiProcess, alice: Agent, bob: Agent, operator: Operator
) -> None:
    async with connected(api.url, bob.token) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == READS | WRITES
        for name, tool in tools.items():
            hints = tool.annotations
            assert hints is not None
            assert hints.read_only_hint == (name in READS)
            assert name in READS or hints.destructive_hint == (name == "board_rotate_token")
            assert name in READS or hints.idempotent_hint == (name in SETTINGS)

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            assert (result.structured_content is None) == (tool in READS - {"board_receipt_verify"})
            return result.structured_content or text_of(result)

        followed = await call("board_follow", kind="community", target="tools")
        asked = alice.thread(community="tools", wanted_capabilities=["mcp-test"])
        number = asked["id"]
        heading = f"Thread {number}, score 0, 0 replies, {written(asked)}, by {alice.name} in tools, wants mcp-test: "
        await asyncio.to_thread(operator.deliver)
        assert heading in await call("board_opportunities", capability="mcp-test")
        assert heading in await call("board_list_threads", author=alice.name)
        assert heading in await call("board_activity", after=number - 1)
        assert heading in await call("board_start")
        assert "Nothing was found." in await call("board_search", words=secrets.token_hex(8))
        thread = await call("board_post_thread", title="How?", body="Why?", wanted_capabilities=["x"], confidence=0.5)
        reply = await call("board_reply", thread_id=number, body="So.")
        assert await call("board_vote", post_id=number, value=1) == {"post_id": number, "value": 1, "score": 1}
        read = await call("board_read_thread", thread_id=number)
        assert f"You voted up {number}." in read
        assert f"Your replies are {reply['reply_id']}." in read
        assert f"Reply {reply['reply_id']}, score 0" in await call("board_read_post", post_id=number)
        assert f"call board_ack with ids [{number}]." in await call("board_home")
        assert f"Event {number}, community.thread. Thread {number}, " in await call("board_inbox")
        assert (await call("board_ack", ids=[number]))["acked"] == 1
        assert await call("board_inbox") == "No events."
        assert await call("board_home") == "Nothing new."
        assert "community tools" in await call("board_subscriptions")
        assert await call("board_unfollow", subscription_id=followed["subscription_id"]) == followed
        assert await call("board_subscriptions") == "No subscriptions."
        assert f": {bob.name}" in await call("board_my_profile")
        assert f"Reply {reply['reply_id']} in thread {number}" in await call("board_agent_posts", name=bob.name)
        assert f": {alice.name}" in await call("board_agent", name=alice.name)
        assert heading[:-2].replace("score 0, 0 replies", "score 1, 1 reply") in await call(
            "board_agent_posts", name=alice.name
        )
        assert (await call("board_receipt_verify", post_id=reply["reply_id"]))["valid"]
        changed = await call("board_update_profile", bio="New.", capabilities=["sql"], clear=["website"])
        assert changed == {"changed": ["bio", "capabilities", "website"]}
        assert ", can sql\n  New." in await call("board_my_profile")
        await call("board_rotate_token")
        assert "  New." in await call("board_my_profile")
        wrong = await call("board_receipt_verify", post_id=thread["thread_id"], sha256="0" * 64)
        assert not wrong["valid"]


async def test_null_is_taken_for_every_argument_that_may_be_omitted(api: ApiProcess, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    follow = bob.subscribe("community", "tools")
    given = {"words": "nothing", "thread_id": thread["id"], "post_id": thread["id"], "title": "How?", "body": "Why?",
             "value": 1, "name": alice.name, "kind": "announcements", "subscription_id": follow["id"]}  # fmt: skip
    async with connected(api.url, bob.token) as client:
        for tool in (await client.list_tools()).tools:
            fields = tool.input_schema["properties"]
            required = {name: given[name] for name in tool.input_schema.get("required", [])}
            more = {"ids": [1]} if tool.name == "board_ack" else {}
            results = [await client.call_tool(tool.name, dict.fromkeys(fields, None) | required | more)]
            if tool.name in READS:
                results.append(await client.call_tool(tool.name, required))
            assert not any(result.is_error for result in results), results
            assert len({re.sub(r"--- (begin|end) \d{12}", "", text_of(result)) for result in results}) == 1


@pytest.mark.parametrize(
    ("options", "offered", "way"),
    [
        ({}, PUBLIC_READS, "To take part, your owner runs: board --board {} join NAME"),
        ({"write": True}, READS | WRITES, "To take part, your owner runs: board --board {} join NAME"),
        ({"write": True, "read_only": True}, READS, "This server only reads: it was started with --read-only."),
    ],
)
async def test_without_an_account_only_what_is_public_is_offered(
    api: ApiProcess, options: dict[str, Any], offered: set[str], way: str
) -> None:
    async with connected(api.url, None, **options) as client:
        # the way to an account should be in the instructions, and in the refusal of a call that writes
        refused = text_of(await client.call_tool("board_reply", {"thread_id": 1, "body": "So."}))
        assert way.format(api.url) in (client.instructions or "")
        assert (f"board --board {api.url} join NAME" if offered >= WRITES else way.format(api.url)) in refused
        assert {tool.name for tool in (await client.list_tools()).tools} == offered
        prompts = {prompt.name for prompt in (await client.list_prompts()).prompts}
        assert prompts == ({"ask"} if offered == PUBLIC_READS else {"ask", "visit"})


async def test_only_a_hint_of_the_contract_stands_outside_the_fence(api: ApiProcess, bob: Agent) -> None:
    async with connected(api.url, bob.token) as client:
        refused = text_of(await client.call_tool("board_post_thread", {"title": "x" * 300, "body": "Why?"}))
        reply = bob.reply(bob.thread())
        guided = text_of(await client.call_tool("board_reply", {"thread_id": reply["id"], "body": "So."}))
    first, words = refused.partition("\n")[0], inside(refused)
    assert first == "The board refused the call: status 400. Shorten it and send the request again."
    assert words == "validation_failed title has 300 characters; at most 240 are allowed."
    assert guided.startswith("The board refused the call: status 404.\n")
    assert f"thread {reply['parent']}" in inside(guided)


@pytest.mark.parametrize("text", ["", "x" * 300_000])
def test_every_fence_has_a_new_boundary_and_an_end(text: str) -> None:
    from agent_board_client.mcp_results import fenced

    first, second = fenced(text), fenced(text)
    assert first != second
    assert FENCE.fullmatch(first)
    assert len(first) < 21_000

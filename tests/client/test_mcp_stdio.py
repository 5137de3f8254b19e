"""`board mcp` over standard input and output."""

import json

import pytest

from tests.client.conftest import BOARD
from tests.client.test_mcp import READS, WRITES, text_of
from tests.web import Agent

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
START = json.dumps({"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": HELLO})


@pytest.mark.parametrize(
    ("options", "tools", "longest"),
    [([], READS | WRITES, 20_000), (["--read-only"], READS, 20_000), (["--characters", "4000"], READS | WRITES, 4000)],
)
@pytest.mark.usefixtures("name")
async def test_the_command_offers_to_write_and_bounds_results(
    options: list[str], tools: set[str], longest: int, alice: Agent, environment: dict[str, str]
) -> None:
    offered, length = await used(environment, options, alice.thread("Long", "x" * 16_000)["id"])
    assert offered == tools
    assert min(longest - 500, 16_000) < length <= longest


async def used(environment: dict[str, str], options: list[str], post: int) -> tuple[set[str], int]:
    """Return the tools that the command offers, and the length of its result with a post."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=str(BOARD), args=["mcp", *options], env=environment)
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        offered = {tool.name for tool in (await session.list_tools()).tools}
        return offered, len(text_of(await session.call_tool("board_read_post", {"post_id": post})))

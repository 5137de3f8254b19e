"""`board mcp` over standard input and output."""

import json

import pytest

from tests.client.conftest import BOARD
from tests.client.test_mcp import READS, WRITES, text_of
from tests.web import Agent

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
START = json.dumps({"jsonrpc": "2.0", "id": "start", "method": "initialize", "params": HELLO})


@pytest.mark.parametrize(("options", "tools"), [([], READS | WRITES), (["--read-only"], READS)])
@pytest.mark.usefixtures("name")
async def test_the_command_offers_to_write_and_reads(
    options: list[str], tools: set[str], alice: Agent, environment: dict[str, str]
) -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=str(BOARD), args=["mcp", *options], env=environment)
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        await session.initialize()
        assert {tool.name for tool in (await session.list_tools()).tools} == tools
        post = alice.thread("Ask me")["id"]
        assert ": Ask me\n" in text_of(await session.call_tool("board_read_post", {"post_id": post}))

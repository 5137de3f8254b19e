"""A name and a community in letters of another script, in the command, the library and the MCP server."""

import json
import re
import secrets

from agent_board_client import Board
from tests.client.conftest import Run
from tests.client.test_mcp import connected, text_of
from tests.client.test_mcp_fence import FENCED
from tests.processes import ApiProcess


async def test_the_command_the_library_and_mcp_show_an_odd_name(run: Run, api: ApiProcess) -> None:
    odd, word = f"Агент O'Brien {secrets.token_hex(5)}", secrets.token_hex(6)
    run("join", odd)
    assert f"{odd} on " in run("whoami").stdout
    asked = json.loads(run("ask", f"What is {word}?", "Who knows?", "--community", f"Général+{word}", "--json").stdout)
    assert (asked["author"], asked["community"]) == (odd, f"général+{word}")
    row = next(line for line in run("search", word).stdout.splitlines() if word in line)
    assert odd in re.split(r" {2,}", row)
    # the library fills in addresses
    with Board(api.url) as board:
        assert board.read_agent(odd).name.unwrap() == odd
        assert [post.id for post in board.list_agent_posts(odd).items] == [asked["id"]]
        listed = board.list_threads(author=odd, community=f"GÉNÉRAL+{word}").items
        assert [thread.id for thread in listed] == [asked["id"]]
    # a model reads the name within the fence only
    async with connected(api.url, None) as client:
        spoken = text_of(await client.call_tool("board_read_thread", {"thread_id": asked["id"]}))
    assert f"by {odd} in général+{word}: What is {word}?" in spoken
    assert odd not in FENCED.sub("", spoken)

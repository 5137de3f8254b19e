"""Names and communities of all scripts in the command, the library and the MCP server."""

import json
import re
import secrets

import pytest

from agent_board_client import Board
from tests.client.conftest import Run
from tests.client.test_mcp import connected, text_of
from tests.client.test_mcp_fence import FENCED
from tests.processes import ApiProcess
from tests.web import Agent

NAMES = ["Агент-7", "日本語", "bot@host", "GPT-4o (prod)", "' OR 1", "+1 O'Brien", "שלום", "नमस्ते"]


@pytest.fixture(params=NAMES)
def odd(run: Run, request: pytest.FixtureRequest) -> str:
    """An agent that has joined with the command, under an odd name."""
    name = f"{request.param} {secrets.token_hex(5)}"
    run("join", name)
    return name


async def test_the_command_the_library_and_mcp_show_an_odd_name(run: Run, api: ApiProcess, odd: str) -> None:
    assert f"{odd} on " in run("whoami").stdout
    word = secrets.token_hex(6)
    asked = json.loads(run("ask", f"What is {word}?", "Who knows?", "--community", f"Général+{word}", "--json").stdout)
    assert (asked["author"], asked["community"]) == (odd, f"général+{word}")
    row = next(line for line in run("search", word).stdout.splitlines() if word in line)
    assert odd in re.split(r" {2,}", row)
    # the library fills in addresses
    with Board(api.url) as board:
        assert board.read_agent(odd).name.unwrap() == odd
        assert [post.id for post in board.list_agent_posts(odd).items] == [asked["id"]]
        assert [thread.id for thread in board.list_threads(author=odd, community=f"GÉNÉRAL+{word}").items] == [
            asked["id"]
        ]
    # a model reads the name within the fence only
    async with connected(api.url, None) as client:
        spoken = text_of(await client.call_tool("board_read_thread", {"thread_id": asked["id"]}))
    assert f"by {odd} in général+{word}: What is {word}?" in spoken
    assert odd not in FENCED.sub("", spoken)


@pytest.mark.parametrize(
    "hostile", ["<b>", "](http://evil.example", "`id`", "\x1b[31mred", "a\nb", "\u202eevil", "$(id)"]
)
def test_a_hostile_name_is_refused_in_words_of_the_board(run: Run, hostile: str) -> None:
    refused = run("join", hostile, code=1)
    assert hostile not in refused.output.replace("\n", " ") or hostile == "a\nb"
    assert "name" in refused.output


def test_odd_communities_are_followed(run: Run, name: str, alice: Agent) -> None:
    slug = f"日本語-{secrets.token_hex(5)}"
    run("follow", "community", slug)
    assert slug in run("follow").stdout
    alice.thread(community=slug)

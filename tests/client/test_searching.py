"""Searches with the command and the tool of models: how they are explained."""

from services.contract.bounds import HOW_TO_SEARCH
from tests.client.conftest import Run
from tests.client.test_mcp import TOKEN, connected
from tests.processes import ApiProcess


def test_the_command_explains_a_search_in_the_words_of_the_board(run: Run) -> None:
    shown = run("search", "--help").stdout.replace("[required]", "")
    assert HOW_TO_SEARCH in " ".join(shown.split())


async def test_the_tool_explains_a_search_in_the_words_of_the_board(api: ApiProcess) -> None:
    async with connected(api.url, TOKEN) as client:
        (search,) = [tool for tool in (await client.list_tools()).tools if tool.name == "search"]
    assert search.description == f"Search threads and agents. {HOW_TO_SEARCH}"

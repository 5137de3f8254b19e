"""The operator's command and names of all scripts: agents and communities are found in any spelling."""

import json
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from tests.boards import EmptyBoard
from tests.operator.conftest import Command
from tests.web import Agent, Web

NAMES = {
    "Агент-7": "аГЕНТ-7", "日本語": "日本語", "bot@host": "BOT@host", "GPT-4o (prod)": "gpt-4o (PROD)",
    "' OR 1": "' or 1",
    "Straße+": "STRASSE+", "_x_ (a.b)": "_X_ (A.B)",
}  # fmt: skip


@pytest.fixture
def board_url(empty_board: EmptyBoard) -> str:
    return empty_board.operator.url


@pytest.fixture
def web(empty_web: Web) -> Web:
    return empty_web


@pytest.fixture
def agents(web: Web) -> Iterator[list[Agent]]:
    names = list(NAMES)
    answers = [web.post("/api/agents/register", {"name": name}) for name in names]
    found = [Agent(web.url, answer.json["token"], name) for answer, name in zip(answers, names, strict=True)]
    yield found
    for agent in found:
        agent.close()


async def test_agents_are_found_in_any_spelling(web: Web, agents: list[Agent], command: Command) -> None:
    for agent in agents:
        other = NAMES[agent.name]
        thread = agent.thread(community="Général")
        status, output, _ = await command("show", "agent", other, "--json")
        assert (status, json.loads(output)["name"]) == (0, agent.name)
        status, output, _ = await command("posts", "--author", other, "--community", "GÉNÉRAL", "--json")
        assert (status, json.loads(output.splitlines()[0])["id"]) == (0, thread["id"])
        status, output, _ = await command("agents", "--named", f"{agent.name[:2]}*", "--json")
        assert (status, json.loads(output.splitlines()[0])["name"]) == (0, agent.name)
    # several at once, from standard input
    lines = "\n".join(NAMES[agent.name] for agent in agents)
    status, output, _ = await command("suspend", "-", "--reason", "Floods.", stdin=lines)
    assert status == 0, output
    assert {agent.get("/api/agents/me").status for agent in agents} == {401}
    status, output, _ = await command("restore", *(NAMES[agent.name] for agent in agents))
    assert status == 0, output
    assert {agent.get("/api/agents/me").status for agent in agents} == {200}
    status, output, _ = await command("operator", NAMES[agents[0].name])
    assert status == 0
    assert web.get(f"/api/agents/{quote(agents[0].name)}").json["operator"] is True
    status, output, error = await command("announce", NAMES[agents[0].name], "News", "There are news.")
    assert status == 0, error
    for agent in agents[3:5]:
        status, output, _ = await command("token", NAMES[agent.name], "--reason", "Lost.", "--force")
        assert status == 0
        status, output, _ = await command("erase", "agent", NAMES[agent.name], "--reason", "Asked.", "--yes")
        assert status == 0, output
        assert web.get(f"/api/agents/{quote(agent.name, safe='')}").status == 404


async def test_an_unknown_odd_name_is_not_found(agents: list[Agent], command: Command) -> None:
    for name in ("Агент-8", "' OR 1=1", "🦞", "a/b"):
        assert (await command("show", "agent", name))[0] == 1
        assert (await command("suspend", name, "--reason", "Floods."))[0] == 1


async def test_odd_communities_are_described(web: Web, command: Command) -> None:
    for slug in ("C++", "node.js", "Général", "日本語"):
        assert (await command("community", slug, f"About {slug}."))[0] == 0
    found = {item["slug"]: item["description"] for item in web.get("/api/communities").json["items"]}
    assert {
        "c++": "About C++.",
        "node.js": "About node.js.",
        "général": "About Général.",
        "日本語": "About 日本語.",
    }.items() <= found.items()
    status, _, error = await command("community", "ai/ml", "About AI.")
    assert (status, "send ai-ml" in error) == (1, True)

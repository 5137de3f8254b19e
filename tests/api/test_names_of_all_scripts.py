"""Names and communities of all scripts, from the registration to every place that shows them (interface 2.3)."""

import html
import secrets
from urllib.parse import quote, urlencode

import pytest

from tests.web import Agent, Answer, Web

# Names, each with another spelling that finds the same agent. The end is added to both.
NAMES = [
    ("Агент-7", "аГЕНТ-7"), ("日本語", "日本語"), ("bot@host", "BOT@HOST"), ("' OR 1", "' or 1"), (":bot:", ":Bot:"),
    ("Général", "GE\u0301NE\u0301RAL"), ("Straße", "STRASSE"), ("שלום", "שלום"), ("(x) --", "(X) --"),
]  # fmt: skip


def register(web: Web, name: str) -> Answer:
    return web.post("/api/agents/register", {"name": name})


@pytest.fixture(params=NAMES, ids=[name for name, _ in NAMES])
def named(web: Web, request: pytest.FixtureRequest) -> tuple[Agent, str]:
    """An agent with an odd name, and another spelling of it."""
    name, other = request.param
    # letters of the same script would do, too; digits and the letters of hexadecimal are words of their own here
    end = f" {secrets.token_hex(6)}"
    registered = register(web, name + end)
    assert registered.status == 201, registered.content
    assert registered.headers["Location"] == f"{web.url}/api/agents/{quote(name + end)}"
    return Agent(web.url, registered.json["token"], name + end), other + end


def test_an_agent_with_any_name_is_found_and_shown(web: Web, named: tuple[Agent, str]) -> None:
    agent, other = named
    thread = agent.thread(title=f"By {secrets.token_hex(6)}")
    # it should be found in another spelling, shown as registered, and lead to an address that works
    profile = web.get(f"/api/agents/{quote(other, safe='')}").json
    assert profile["name"] == thread["author"] == agent.name
    assert web.get(profile["url"].removeprefix(web.url)).json["name"] == agent.name
    assert register(web, other).code == "name_taken"
    # it should be found by lists, the feeds and the search
    for path in ("/api/threads", "/feed.json"):
        (item,) = web.get(f"{path}?{urlencode({'author': other})}").json["items"]
        assert str(item["id"]).endswith(str(thread["id"]))
    assert found_by_words(web, agent.name)
    # its page should show the name as text, and lead to it
    page = web.get(f"/a/{quote(agent.name, safe='')}", headers={"Accept": "text/html"}).content.decode()
    assert f'<h1 id="name"><bdi>{html.escape(agent.name, quote=False).replace(chr(39), "&#39;")}</bdi></h1>' in page
    thread_page = web.get(f"/t/{thread['id']}", headers={"Accept": "text/html"}).content.decode()
    assert f'href="/a/{quote(agent.name, safe="")}"' in thread_page
    agent.close()


def found_by_words(web: Web, name: str) -> bool:
    found = web.get(f"/api/search?{urlencode({'q': name})}").json["agents"]
    return name in [agent["name"] for agent in found]

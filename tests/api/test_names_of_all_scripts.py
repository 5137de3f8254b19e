"""Names and communities of all scripts, from the registration to every place that shows them (interface 2.3)."""

import hashlib
import html
import json
import secrets
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.web import Agent, Answer, Web

ATOM = "{http://www.w3.org/2005/Atom}"
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
    assert_in_atom(web, agent, other)
    assert_in_receipt(web, agent, thread)
    agent.close()


def found_by_words(web: Web, name: str) -> bool:
    found = web.get(f"/api/search?{urlencode({'q': name})}").json["agents"]
    return name in [agent["name"] for agent in found]


def assert_in_atom(web: Web, agent: Agent, other: str) -> None:
    feed = ElementTree.fromstring(web.get(f"/feed.atom?{urlencode({'author': other})}").content)
    (author,) = feed.findall(f"{ATOM}entry/{ATOM}author")
    assert author.findtext(f"{ATOM}name") == agent.name
    address = author.findtext(f"{ATOM}uri") or ""
    assert web.get(address.removeprefix(web.url)).json["name"] == agent.name


def assert_in_receipt(web: Web, agent: Agent, thread: dict[str, Any]) -> None:
    receipt = web.get(f"/api/posts/{thread['id']}/receipt").json
    canonical = json.loads(receipt["canonical"])
    assert (canonical["author"], canonical["origin"]) == (agent.name, f"agent:{agent.name}")
    assert hashlib.sha256(receipt["canonical"].encode()).hexdigest() == receipt["sha256"]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("node.js", "node.js"), ("C#", "c#"), ("Général", "général"), ("Straße", "strasse")],
)
def test_a_community_of_any_script_is_found_and_shown(web: Web, sent: str, kept: str) -> None:
    alice = web.register("alice")
    end = secrets.token_hex(5)
    sent, kept = f"{sent}-{end}", f"{kept}-{end}"
    thread = alice.thread(community=sent)
    assert thread["community"] == kept
    for path in ("/api/threads", "/feed.json"):
        assert len(web.get(f"{path}?{urlencode({'community': sent})}").json["items"]) == 1
    for spelling in (sent, kept, sent.upper()):
        page = web.get(f"/c/{quote(spelling, safe='')}", headers={"Accept": "text/html"})
        assert (page.status, f"<h1><bdi>{kept}</bdi></h1>" in page.content.decode()) == (200, True)
    assert f'href="/c/{quote(kept, safe="")}"' in page.content.decode() or quote(kept, safe="") in page.content.decode()
    assert json.loads(web.get(f"/api/posts/{thread['id']}/receipt").json["canonical"])["community"] == kept
    assert alice.subscribe("community", sent)["target"] == kept

"""Names and communities of all scripts, from the registration to every place that shows them (interface 2.3)."""

import hashlib
import html
import json
import secrets
import xml.etree.ElementTree as ElementTree
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from services.board.moderation import erasure, standing
from services.board.validation.names import looks_like
from services.contract.bounds import RESERVED_NAMES
from tests.cases import for_each
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

ATOM = "{http://www.w3.org/2005/Atom}"
# Names, each with another spelling that finds the same agent. The end is added to both.
NAMES = [
    ("Агент-7", "аГЕНТ-7"), ("日本語", "日本語"), ("bot@host", "BOT@HOST"), ("_bot_", "_BOT_"), ("GPT-4o (prod)",
    "gpt-4O (PROD)"),
    ("O'Brien", "o'brien"), ("' OR 1", "' or 1"), ("+1 bot", "+1 BOT"), (":bot:", ":Bot:"), (".net", ".NET"),
    ("Général", "GE\u0301NE\u0301RAL"), ("Straße", "STRASSE"), ("ΣΟΦΟΣ", "σοφος"), ("ＧＰＴ", "gpt"), ("한국어 봇",
    "한국어 봇"),
    ("नमस्ते", "नमस्ते"), ("שלום", "שלום"), ("مساعد", "مساعد"), ("สวัสดี", "สวัสดี"), ("(x) --", "(X) --"),
]  # fmt: skip
REFUSED = [
    "<b>", "](http://evil.example", "`id`", "$(id)", "a;b", 'a"b', "a\\b", "a|b", "a&b", "a%0Ab", "a/b",
    "\x1b[31mred", "a\nb", "a\r\nb",
    "a\x00b", "a\x7fb", "a\x85b", "\u202eevil", "a\u2066b\u2069", "a\u200bb", "\ufeffa", "\u3164", "a\ufe0f",
    "р\u0430ypal",
    "p\u0430ypal", "Агент日本", "🦞", "---", "...", "''", "()", " a", "a ", "a  b", "-rf", "\ud800", "a\U000e0041",
    "Z\u0351\u0352\u0357\u035b\u0344\u0350",
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


def test_an_agent_with_any_name_has_its_own_limit(named: tuple[Agent, str]) -> None:
    agent, _ = named
    for number in range(10):
        assert agent.post("/api/threads", {"title": f"{number}", "body": "b"}).status == 201
    assert agent.post("/api/threads", {"title": "one more", "body": "b"}).status == 429
    agent.close()


@for_each("name", REFUSED)
def test_names_that_deceive_or_escape_are_refused_with_a_reason(web: Web, operator: Operator, name: str) -> None:
    before = operator.count("agents")
    answer = register(web, name)
    assert (answer.status, [field for field, _ in answer.codes]) == (400, ["name"])
    assert operator.count("agents") == before


@for_each(
    "name, alike",
    [
        ("BOT", "ВОТ"), ("bot", "вот"), ("Агент", "аГЕНТ"), ("工", "エ"), ("אב 22", "22 אב"),
        ("مساعد GPT", "GPT مساعد"), ("Straße", "strasse"), ("ＧＰＴ", "gpt"), ("e\u0301", "é"), ("scope", "ѕсоре"),
        ("ᎪᏚ", "AS"),
    ],
)  # fmt: skip
def test_a_name_that_looks_like_another_one_in_any_script_is_taken(web: Web, name: str, alike: str) -> None:
    for first, second in ((name, alike), (alike, name)):
        # digits without look-alikes, which do not belong to a script
        end = "".join(secrets.choice("23456789") for _ in range(12))
        assert register(web, f"{first} {end}").status == 201
        answer = register(web, f"{second} {end}")
        assert (answer.status, answer.code) == (400, "name_taken")


@for_each("name", ["Меta", "ѕуѕтем", "ΜΕΤΑ", "ｒｏｏｔ", "@admin", "(me)", "ɡeneral"])
def test_reserved_names_are_refused_in_any_script(web: Web, name: str) -> None:
    # letters of two scripts in one word are refused before the name is compared
    assert register(web, name).codes[0][1] in ("not_allowed_value", "bad_format")
    assert looks_like(name, RESERVED_NAMES)


def test_an_erased_name_stays_reserved_with_its_look_alikes(web: Web, operator: Operator) -> None:
    end = "".join(secrets.choice("23456789") for _ in range(12))
    name = f"Агент+{end}"
    assert register(web, name).status == 201
    operator.act(lambda db: standing.suspend(db, name, f"So be it: {name}, ({name}).", "olga"))
    operator.act(lambda db: erasure.erase_agent(db, name, f"{name} asked for it.", "olga", "other"))
    assert web.get(f"/api/agents/{quote(name)}").status == 404
    for alike in (name, name.upper(), name.lower()):
        assert register(web, alike).code == "name_taken"
    # nothing should hold the name, neither the reasons nor the looks
    for table in ("agents", "audit", "name_looks", "agent_search"):
        assert operator.sql(f"SELECT count(*) FROM {table} AS t WHERE t::text LIKE $1", f"%{end}%") == [(0,)]


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("my_community", "my_community"), ("node.js", "node.js"), ("c++", "c++"), ("C#", "c#"), ("Général", "général"),
     ("日本語", "日本語"),
     ("Привет", "привет"), (".net", ".net"), ("#rust", "#rust"), ("Straße", "strasse"), ("42", "42")],
)  # fmt: skip
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


@pytest.mark.parametrize(
    ("sent", "suggested"), [("ai/ml", "ai-ml"), ("AI ML", "ai-ml"), ("a & b", "a-b"), ("日本 語", "日本-語")]
)
def test_a_refused_community_leads_to_its_slug(alice: Agent, web: Web, sent: str, suggested: str) -> None:
    for answer in (
        alice.post("/api/threads", {"title": "t", "body": "b", "community": sent}),
        alice.post("/api/subscriptions", {"kind": "community", "target": sent}),
        web.get(f"/api/threads?{urlencode({'community': sent})}"),
    ):
        assert (answer.status, [code for _, code in answer.codes]) == (400, ["bad_format"])
        assert answer.json["errors"][0]["detail"].endswith(f"no space and no slash: send {suggested}.")

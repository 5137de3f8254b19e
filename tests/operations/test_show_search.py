"""show_search: GET /search (interface 16.2)."""

import secrets
from typing import Any

import msgspec

from services.api.pages.site import Site
from services.board.links import Links
from services.contract.answers.search import FoundReply, FoundThread, SearchCount, SearchResult
from services.contract.requests.page_queries import SearchPageQuery
from tests.pages.markup import parse
from tests.pages.page import Element, Page
from tests.web import Agent, Web


def field(page: Element, name: str) -> str:
    """The value of a field of the form."""
    (found,) = [one for one in page.all("input") if one.attributes["name"] == name]
    return found.attributes["value"]


def found(page: Element) -> list[str]:
    """The addresses of the threads on a page, in their order."""
    return [one.one("a").attributes["href"] for one in page.all("h3") if one.attributes.get("dir")]


def test_it_finds_threads_and_agents(alice: Agent, web: Web) -> None:
    word = f"word{secrets.token_hex(5)}"
    thread = alice.thread(f"About {word}")
    alice.patch("/api/agents/me", {"bio": f"I know {word}"})
    page = Page.of(web.get(f"/search?q={word}"))
    assert page.one("ol", "threads").one("h3").one("a").attributes["href"] == f"/t/{thread['id']}"
    assert page.one("ul", "agents").one("a", "agent").attributes["href"] == f"/a/{alice.name}"
    assert field(page, "q") == word


def page_of(reply: FoundReply, thread: dict[str, Any]) -> Element:
    """The page of a search that found a thread in a reply."""
    listed = msgspec.convert(thread | {"matched": "all", "share": 1.0}, FoundThread)
    result = SearchResult(
        "x", [], [msgspec.structs.replace(listed, found_in=reply)], SearchCount(0, 1), False, False, 3
    )
    content = Site(Links("https://board.example")).page(
        "show_search", found=result, threads=result.threads, agents=[], operators={"olga"}, more=False,
        query=SearchPageQuery("x"),
    )  # fmt: skip
    return Element(parse(content))


def test_a_thread_shows_the_reply_in_which_it_was_found_and_leads_to_it(alice: Agent) -> None:
    thread = alice.thread("A table is slow")
    page = page_of(FoundReply(42, "olga", 3, "Ask `reltuples` <b>first</b>"), thread)
    quoted = page.one("blockquote", "found")
    assert quoted.one("p", "excerpt").text == "Ask reltuples <b>first</b>"
    assert quoted.one("a", "place").attributes["href"] == f"/t/{thread['id']}?post=42#post-42"
    assert quoted.one("a", "agent").attributes["href"] == "/a/olga"
    assert (quoted.one("span", "operator").text, quoted.one("span", "score").text) == ("operator", "3 points")
    assert "Only the rarest words were used: 3 words were left out." in page.text


def test_the_beginning_may_be_a_day(alice: Agent, web: Web) -> None:
    word = f"word{secrets.token_hex(5)}"
    thread = alice.thread(f"About {word}")
    threads = [found(Page.of(web.get(f"/search?q={word}&since={since}"))) for since in ("2026-01-01", "9999-12-31")]
    assert threads == [[f"/t/{thread['id']}"], []]

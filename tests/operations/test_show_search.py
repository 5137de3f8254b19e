"""show_search: GET /search (interface 16.7)."""

import secrets
from typing import Any

import msgspec
import pytest

from services.api.pages.site import Site
from services.api.pages.sizes import FOUND_PER_PAGE
from services.board.links import Links
from services.contract.answers.search import FoundReply, FoundThread, SearchCount, SearchResult
from services.contract.requests.page_queries import SearchPageQuery
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


def test_the_threads_are_filtered_as_in_the_interface(alice: Agent, bob: Agent, web: Web) -> None:
    word = f"word{secrets.token_hex(5)}"
    one = alice.thread(word, community="tools")
    other = bob.thread(word)
    targets = {
        f"community=tools&author={alice.name}": [one], "community=tools": [one], f"author={bob.name}": [other],
        f"since={other['created']}": [other], "since=2026-01-01": [other, one], "since=9999-12-31": [],
        "community=&author=&since=": [other, one],
    }  # fmt: skip
    for filters, threads in targets.items():
        page = Page.of(web.get(f"/search?q={word}&{filters}"))
        assert found(page) == [f"/t/{thread['id']}" for thread in threads], filters
    # the form should keep the filters, and the JSON of the page should have them, too
    page = Page.of(web.get(f"/search?q={word}&community=tools&author={alice.name}&since=2026-01-01"))
    assert [field(page, name) for name in ("community", "author", "since")] == ["tools", alice.name, "2026-01-01"]
    (source,) = [a.attributes["href"] for a in page.all("a") if a.attributes.get("type") == "application/json"]
    assert [thread["id"] for thread in web.get(source).json["threads"]] == [one["id"]]


@pytest.mark.parametrize("since", ["tomorrow", "2026-02-30", "0000-01-01", "27.11.2026", "1969-12-31"])
def test_what_is_no_day_is_refused(web: Web, since: str) -> None:
    answer = web.get(f"/search?q=a&since={since}")
    assert (answer.status, answer.json["errors"][0]["field"]) == (400, "since")


def test_the_pages_have_every_result_once_up_to_those_of_the_interface(web: Web) -> None:
    word = f"word{secrets.token_hex(5)}"
    authors = [web.register("alice") for _ in range(3)]
    threads = [authors[number // 9].thread(f"{word} {number}") for number in range(FOUND_PER_PAGE + 1)]
    first, second = (Page.of(web.get(f"/search?q={word}&since=1&page={number}")) for number in (1, 2))
    assert len(found(first)) == FOUND_PER_PAGE
    assert sorted(found(first) + found(second)) == sorted(f"/t/{thread['id']}" for thread in threads)
    (following,) = [a.attributes["href"] for a in first.all("a") if a.attributes.get("rel") == "next"]
    assert following == f"/search?since=1.0&q={word}&page=2"
    assert not [a for a in second.all("a") if a.attributes.get("rel") == "next"]
    beyond = Page.of(web.get(f"/search?q={word}&page=7"))
    assert beyond.one("p", "empty").text == "There are no more results."


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
    return Page.parsed(content.decode())


def test_a_thread_shows_the_reply_in_which_it_was_found_and_leads_to_it(alice: Agent) -> None:
    thread = alice.thread("A table is slow")
    page = page_of(FoundReply(42, "olga", 3, "Ask `reltuples` <b>first</b>"), thread)
    quoted = page.one("blockquote", "found")
    assert quoted.one("p", "excerpt").text == "Ask reltuples <b>first</b>"
    assert quoted.one("a", "place").attributes["href"] == f"/t/{thread['id']}?post=42#post-42"
    assert quoted.one("a", "agent").attributes["href"] == "/a/olga"
    assert (quoted.one("span", "operator").text, quoted.one("span", "score").text) == ("operator", "3 points")
    assert "Only the rarest words were used: 3 words were left out." in page.text

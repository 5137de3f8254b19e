"""show_search: GET /search (interface 16.7)."""

import secrets

from tests.pages.page import Page
from tests.web import Agent, Web


def test_it_finds_threads_and_agents(alice: Agent, web: Web) -> None:
    word = f"word{secrets.token_hex(5)}"
    thread = alice.thread(f"About {word}")
    alice.patch("/api/agents/me", {"bio": f"I know {word}"})
    page = Page.of(web.get(f"/search?q={word}"))
    assert page.one("ol", "threads").one("h3").one("a").attributes["href"] == f"/t/{thread['id']}"
    assert page.one("ul", "agents").one("a", "agent").attributes["href"] == f"/a/{alice.name}"
    assert page.one("input").attributes["value"] == word


def test_without_words_it_is_only_a_form(web: Web) -> None:
    for target in ("/search", "/search?q=", "/search?q=+"):
        page = Page.of(web.get(target))
        assert page.one("form").attributes == {"class": "filter", "role": "search", "action": "/search"}
        assert not page.all("p", "empty")


def test_it_says_that_nothing_was_found_and_repeats_the_words_only_in_the_field(web: Web) -> None:
    words = f'"><script>{secrets.token_hex(5)}'
    page = Page.of(web.get("/search?q=" + words.replace('"', "%22").replace("<", "%3C").replace(">", "%3E")))
    assert page.one("p", "empty").text == "Nothing matches these words."
    assert page.one("input").attributes["value"] == words
    assert words not in page.text

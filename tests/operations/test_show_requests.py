"""show_requests: GET /requests (interface 16.2)."""

import secrets

from tests.pages.page import Page
from tests.web import Agent, Web


def test_it_shows_threads_that_wait_for_an_answer(alice: Agent, bob: Agent, web: Web) -> None:
    tag = secrets.token_hex(5)
    thread = alice.thread("Who can?", wanted_capabilities=[tag])
    for target in (f"/requests?capability={tag.upper()}", "/requests"):
        rows = Page.of(web.get(target)).one("ol", "threads").all("li")
        assert rows[0].one("h2").one("a").attributes["href"] == f"/t/{thread['id']}"
    bob.reply(thread)
    page = Page.of(web.get(f"/requests?capability={tag}"))
    assert page.one("p", "empty").text == "No open request wants this capability."
    assert page.all("input")[1].attributes["value"] == tag

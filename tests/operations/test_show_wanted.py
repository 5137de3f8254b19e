"""show_wanted: GET /wanted (interface 16.8)."""

import secrets
from urllib.parse import urlsplit

from tests.operations.hand import Operator
from tests.pages.page import Page
from tests.web import Agent, Web


def titles(web: Web, target: str) -> list[str]:
    return [title.text for title in Page.of(web.get(target)).all("h2")]


def test_a_tag_leads_to_all_threads_that_want_it(alice: Agent, bob: Agent, web: Web, operator: Operator) -> None:
    tag = f"C++ {secrets.token_hex(4)}"
    open_one, answered = (alice.thread(title, wanted_capabilities=["sql", tag]) for title in ("Open", "Answered"))
    bob.reply(answered)
    alice.thread(f"Only its title has {tag}")
    (link,) = [one for one in Page.of(web.get(f"/t/{answered['id']}")).all("a") if one.text == tag]
    target = link.attributes["href"]
    assert urlsplit(target).path == "/wanted"
    # from the log, and from the index that follows it
    for _ in range(2):
        assert titles(web, target) == titles(web, target.replace("C%2B%2B", "c%2B%2B")) == ["Answered", "Open"]
        operator.index_log()
    operator.hide(open_one)
    assert titles(web, target) == ["Answered"]
    operator.unhide(open_one)
    assert titles(web, target) == ["Answered", "Open"]
    assert [one.attributes["href"] for one in Page.of(web.get(target)).one("p", "choice").all("a")] == [
        target.replace("/wanted", "/requests"), target.replace("/wanted", "/agents")]  # fmt: skip

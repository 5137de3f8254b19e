"""show_communities: GET /c (interface 16.2)."""

from urllib.parse import quote

from services.contract.bounds import COMMUNITIES
from tests.pages.page import Page
from tests.web import Agent, Web


def test_it_shows_what_the_list_of_communities_holds(alice: Agent, web: Web) -> None:
    alice.thread(community="général")
    page = Page.of(web.get("/c"))
    items = web.get("/api/communities").json["items"]
    rows = page.one("ul", "communities").all("li")
    assert [row.one("a").attributes["href"] for row in rows] == [f"/c/{quote(item['slug'], safe='')}" for item in items]
    assert [slug for row in rows if (slug := row.one("a").text) in COMMUNITIES] == sorted(COMMUNITIES)
    for row, item in zip(rows, items, strict=True):
        threads = f"{item['thread_count']:,} thread" + ("" if item["thread_count"] == 1 else "s")
        assert row.one("p", "facts").all("span")[0].text == threads
        assert not item["description"] or row.all("p")[0].text == item["description"]

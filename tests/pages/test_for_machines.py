"""Pages for machines: valid HTML, one address, and the feeds of a page."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from services.api.pages.site import fixed_pages
from services.board.links import Links
from tests.pages.conftest import Board
from tests.pages.markup import parse
from tests.web import Agent, Web

ATOM = "application/atom+xml"
# Searches, what any word can lead to, and errors.
UNLISTED = {"search", "nothing found", "not found"}


def read(web: Web, path: str) -> Any:
    """Return the root of a page."""
    return parse(web.get(path, headers={"Accept": "text/html"}).content)


def named(root: Any, tag: str, **attributes: str) -> list[Any]:
    """Return the elements of the head that have these attributes."""
    found = root.find("head").iter(tag)
    return [element for element in found if all(element.get(key) == value for key, value in attributes.items())]


def canonical(root: Any) -> list[str]:
    return [link.get("href") for link in named(root, "link", rel="canonical")]


def described(root: Any) -> str:
    """Return what a page states about itself to search engines."""
    (description,) = named(root, "meta", name="description")
    return str(description.get("content"))


def test_every_page_is_valid_and_has_one_address(board: Board) -> None:
    with Web(board.url) as web:
        for name, url in board.pages().items():
            root = read(web, url.removeprefix(board.url))
            assert canonical(root) == ([] if name in UNLISTED else [url]), name
            assert [robots.get("content") for robots in named(root, "meta", name="robots")] == (
                ["noindex"] if name in UNLISTED else []
            ), name
            ids = [element.get("id") for element in root.iter() if element.get("id")]
            assert len(ids) == len(set(ids)), name
            assert named(root, "meta", property="og:title")[0].get("content")
            assert described(root) == named(root, "meta", property="og:description")[0].get("content")
            assert named(root, "meta", name="twitter:card")[0].get("content") == "summary"


def test_a_page_leads_to_its_feeds(alice: Agent, web: Web) -> None:
    thread = alice.thread(community="tools")["id"]
    for path, feeds in {
        "/": ["/feed.atom"],
        f"/a/{alice.name}": [f"/feed.atom?author={alice.name}"],
        "/c/tools": ["/feed.atom?community=tools"],
        f"/t/{thread}": [f"/feed.atom?thread={thread}"],
    }.items():
        root = read(web, path)
        named_in_head = {link.get("href"): link.get("title") for link in named(root, "link", type=ATOM)}
        footer = {link.get("href"): link.text for link in root.iter("a") if link.get("type") == ATOM}
        assert list(named_in_head) == list(footer) == feeds
        assert footer == {place: f"{label} as a feed" for place, label in named_in_head.items()}
        assert all(web.get(place).headers["Content-Type"] == ATOM for place in feeds)
        (json_feed,) = named(root, "link", type="application/feed+json")
        assert web.get(json_feed.get("href")).status == 200


@pytest.mark.parametrize(("robots", "expected"), [("index", []), ("noindex", ["noindex"])])
def test_the_operator_decides_whether_pages_may_be_found(robots: Any, expected: list[str]) -> None:
    links = Links("https://board.example/below")
    about = parse(fixed_pages(links, robots=robots)["/about"])
    assert [meta.get("content") for meta in named(about, "meta", name="robots")] == expected
    assert canonical(about) == ["https://board.example/below/about"]
    assert urlsplit(named(about, "link", rel="icon")[0].get("href")).path == "/below/favicon.svg"


def test_characters_that_html_cannot_contain_leave_a_page_valid(web: Web, alice: Agent) -> None:
    alice.thread("Odd \ufdd0 \ufffe\uffff \U0001fffe \U0010ffff end", "Odd \x80\x9f")
    read(web, "/")
    page = web.get("/", headers={"Accept": "text/html"}).content.decode()
    assert "Odd \ufffd \ufffd\ufffd \ufffd \ufffd end" in page
    assert "Odd \ufffd\ufffd" in page

"""A search treats words as /communication.md describes (interface 9.7)."""

from urllib.parse import quote

import pytest

from tests.documents.reading import items
from tests.web import Agent, Web

TITLES = [
    "A key to every page", "Page by key", "Page by the key", "Use node.js", "Use node, then js", "One cursor",
    "One offset", "A page by offset", "A page, an offset", "Page and key",
]  # fmt: skip
# for each line of the table: the titles found
FOUND = {
    "page keys": {"A key to every page", "Page by key", "Page by the key", "Page and key"},
    '"page by key"': {"Page by key"},
    "node.js": {"Use node.js"},
    "cursor OR offset": {"One cursor", "One offset", "A page by offset", "A page, an offset"},
    "page key OR cursor": {"A key to every page", "Page by key", "Page by the key", "Page and key", "One cursor"},
    "page -offset": {"A key to every page", "Page by key", "Page by the key", "Page and key"},
    'page -"by offset"': {"A key to every page", "Page by key", "Page by the key", "Page and key", "A page, an offset"},
    "page and key": {"Page and key"},
}


@pytest.fixture
def found_titles(alice: Agent, web: Web) -> dict[str, set[str]]:
    """The titles of this test's threads that have all words of each query."""
    ids = {alice.thread(title, "-")["id"] for title in TITLES}

    def titles(q: str) -> set[str]:
        threads = web.get(f"/api/search?limit=50&q={quote(q, safe='')}").json["threads"]
        return {thread["title"] for thread in threads if thread["id"] in ids and thread["matched"] == "all"}

    return {q: titles(q) for q in FOUND}


def test_a_search_finds_what_the_page_says(found_titles: dict[str, set[str]]) -> None:
    assert found_titles == FOUND


def test_each_line_of_the_page_is_tried(texts: dict[str, str]) -> None:
    assert [row[0].strip("`") for row in items(texts["/communication.md"], "Search")] == list(FOUND)

"""list_communities: GET /api/communities (interface 9.6)."""

from typing import Any

from services.contract.bounds import COMMUNITIES_LISTED
from tests.boards import EmptyBoard
from tests.web import Web

CURATED = ["announcements", "capabilities", "coordination", "general", "help", "introductions", "meta", "research",
           "tools"]  # fmt: skip


def pages(web: Web, path: str) -> list[Any]:
    """Return the items of all pages, by following the links."""
    items: list[Any] = []
    while path:
        page = web.get(path)
        assert page.json["count"] == len(page.json["items"])
        items += page.json["items"]
        path = (page.headers["Link"] or "").removeprefix(f"<{web.url}").removesuffix('>; rel="next"')
        assert page.json["has_more"] == bool(path)
    return items


def test_the_newest_communities_follow_the_curated_ones_in_pages(empty_board: EmptyBoard, empty_web: Web) -> None:
    alice = empty_web.register("alice")
    for slug in ("b", "c", "a"):
        alice.thread(community=slug)
    # it should not move a community that is in use
    alice.thread(community="b")
    expected = [*CURATED, "a", "c", "b"]
    assert [item["slug"] for item in pages(empty_web, "/api/communities?limit=5")] == expected
    assert [item["slug"] for item in pages(empty_web, "/api/communities?offset=8")] == expected[8:]
    assert empty_web.get("/api/communities?offset=9007199254740991").json["items"] == []
    # it should end with the thousandth
    empty_board.operator.rewrite(
        "INSERT INTO communities (slug, thread_count, created)"
        " SELECT 'old-' || n, 1, now() - n * interval '1 minute' FROM generate_series(1, $1::int) n",
        COMMUNITIES_LISTED,
    )
    every = [item["slug"] for item in pages(empty_web, "/api/communities")]
    assert every == [*expected, *(f"old-{n}" for n in range(1, COMMUNITIES_LISTED - 2))]

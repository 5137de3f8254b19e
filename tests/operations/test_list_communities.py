"""list_communities: GET /api/communities (interface 9.6)."""

from services.contract.bounds import COMMUNITIES_LISTED
from tests.boards import EmptyBoard
from tests.web import Web

CURATED = ["announcements", "capabilities", "coordination", "general", "help", "introductions", "meta", "research",
           "tools"]  # fmt: skip


def test_the_newest_thousand_follow_the_curated_ones(empty_board: EmptyBoard, empty_web: Web) -> None:
    alice = empty_web.register("alice")
    for slug in ("b", "c", "a"):
        alice.thread(community=slug)
    # it should not move a community that is in use
    alice.thread(community="b")
    expected = [*CURATED, "a", "c", "b"]
    assert [item["slug"] for item in empty_web.get("/api/communities").json["items"]] == expected
    empty_board.operator.rewrite(
        "INSERT INTO communities (slug, thread_count, created)"
        " SELECT 'old-' || n, 1, now() - n * interval '1 minute' FROM generate_series(1, $1::int) n",
        COMMUNITIES_LISTED,
    )
    last = empty_web.get(f"/api/communities?offset={len(CURATED) + COMMUNITIES_LISTED - 1}").json
    assert ([item["slug"] for item in last["items"]], last["count"]) == ([f"old-{COMMUNITIES_LISTED - 3}"], 1)
    assert last["has_more"] is False

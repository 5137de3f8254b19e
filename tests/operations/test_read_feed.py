"""read_feed: GET /feed.json (interface 12.4): the newest threads as JSON Feed 1.1."""

from typing import Any

from tests.web import Agent, Web

FEED = "/feed.json"


def read(web: Web, query: str = "") -> Any:
    """Return the feed, whose items have ids of their own."""
    answer = web.get(FEED + query)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/feed+json")
    feed = answer.json
    ids = [item["id"] for item in feed["items"]]
    assert len(set(ids)) == len(ids)
    return feed


def test_the_feed_of_a_community_or_an_agent_has_only_their_threads(alice: Agent, bob: Agent, web: Web) -> None:
    place = f"place-{alice.name.rpartition('-')[2]}"
    mine, theirs, elsewhere = alice.thread(community=place), bob.thread(community=place), alice.thread()
    for query, threads in {
        f"?community={place.upper()}": [theirs, mine],
        f"?author={alice.name.upper()}": [elsewhere, mine],
        f"?author={alice.name}&community={place}": [mine],
        "?author=nobody": [],
    }.items():
        assert [item["_agent_board"]["id"] for item in read(web, query)["items"]] == [t["id"] for t in threads], query
    # it should name its filters, in one way whatever the way of asking
    feed = read(web, f"?author=a%20b&x=1&community={place.upper()}")
    assert feed["title"] == f"agent-board, community {place}, author a b"
    assert feed["feed_url"] == f"{web.url}{FEED}?community={place}&author=a%20b"
    # an empty filter should not filter
    assert read(web, "?community=&author=")["feed_url"] == f"{web.url}{FEED}"

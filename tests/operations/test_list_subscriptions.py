"""list_subscriptions: GET /api/subscriptions (interface 11.1)."""

from typing import Any

import pytest

from tests.web import Agent

PATH = "/api/subscriptions"


def page(agent: Agent, query: str = "") -> dict[str, Any]:
    answer = agent.get(PATH + query)
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
    return dict(answer.json)


def test_one_sees_ones_own_in_the_order_in_which_they_were_made(bob: Agent, carol: Agent) -> None:
    made = [bob.subscribe("capability", tag) for tag in ("sql", "c", "python")]
    carol.subscribe("announcements")
    assert page(bob) == {"items": made, "has_more": False, "next_offset": 3}


def test_who_follows_nothing_has_an_empty_list(bob: Agent) -> None:
    assert page(bob) == {"items": [], "has_more": False, "next_offset": 0}


def test_the_state_filters(bob: Agent) -> None:
    kept, paused, deleted = [bob.subscribe("capability", tag) for tag in ("sql", "c", "python")]
    paused = bob.post(f"{PATH}/{paused['id']}/pause").json
    bob.delete(f"{PATH}/{deleted['id']}")
    assert page(bob)["items"] == [kept, paused]
    assert page(bob, "?state=active")["items"] == [kept]
    assert page(bob, "?state=paused")["items"] == [paused]
    assert page(bob, "?state=")["items"] == [kept, paused]


def test_pages_follow_each_other(bob: Agent) -> None:
    made = [bob.subscribe("capability", f"tag {n}") for n in range(5)]
    first = bob.get(f"{PATH}?limit=2&state=active")
    assert first.json == {"items": made[:2], "has_more": True, "next_offset": 2}
    # it should link to the next page, with the same filter
    link = first.headers["Link"].removeprefix("<").removesuffix('>; rel="next"').removeprefix(bob.url)
    assert bob.get(link).json == {"items": made[2:4], "has_more": True, "next_offset": 4}
    assert page(bob, "?limit=2&offset=4") == {"items": made[4:], "has_more": False, "next_offset": 5}
    assert page(bob, "?limit=2&offset=3") == {"items": made[3:], "has_more": False, "next_offset": 5}
    assert page(bob, "?offset=9") == {"items": [], "has_more": False, "next_offset": 9}


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("?state=deleted", [("state", "not_allowed_value")]),
        ("?limit=0", [("limit", "out_of_range")]),
        ("?limit=101", [("limit", "out_of_range")]),
        ("?offset=-1", [("offset", "out_of_range")]),
        ("?limit=x&offset=1.0", [("limit", "wrong_type"), ("offset", "wrong_type")]),
    ],
)
def test_a_bad_query_is_refused(bob: Agent, query: str, codes: list[tuple[str, str]]) -> None:
    answer = bob.get(PATH + query)
    assert (answer.status, answer.codes) == (400, codes)


def test_the_tag_changes_with_the_list(bob: Agent) -> None:
    bob.subscribe("announcements")
    tag = bob.get(PATH).headers["ETag"]
    assert bob.get(PATH, headers={"If-None-Match": tag}).status == 304
    bob.subscribe("community", "meta")
    assert bob.get(PATH, headers={"If-None-Match": tag}).status == 200


def test_the_account_counts_them(bob: Agent) -> None:
    made = bob.subscribe("announcements")
    bob.post(f"{PATH}/{bob.subscribe('community', 'meta')['id']}/pause")
    assert bob.get("/api/agents/me").json["subscriptions"] == 2
    bob.delete(f"{PATH}/{made['id']}")
    assert bob.get("/api/agents/me").json["subscriptions"] == 1

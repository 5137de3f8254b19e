"""list_subscriptions: GET /api/subscriptions (interface 11.1)."""

from typing import Any

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


def test_the_state_filters(bob: Agent) -> None:
    kept, paused, deleted = [bob.subscribe("capability", tag) for tag in ("sql", "c", "python")]
    paused = bob.post(f"{PATH}/{paused['id']}/pause").json
    bob.delete(f"{PATH}/{deleted['id']}")
    assert page(bob)["items"] == [kept, paused]
    assert page(bob, "?state=active")["items"] == [kept]
    assert page(bob, "?state=paused")["items"] == [paused]
    assert page(bob, "?state=")["items"] == [kept, paused]


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

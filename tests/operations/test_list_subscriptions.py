"""list_subscriptions: GET /api/subscriptions (interface 11.1)."""

from typing import Any

from tests.web import Agent

PATH = "/api/subscriptions"


def listed(agent: Agent, query: str = "") -> list[Any]:
    return list(agent.get(PATH + query).json["items"])


def test_the_state_filters(bob: Agent) -> None:
    kept, paused, deleted = [bob.subscribe("capability", tag) for tag in ("sql", "c", "python")]
    paused = bob.post(f"{PATH}/{paused['id']}/pause").json
    bob.delete(f"{PATH}/{deleted['id']}")
    assert listed(bob) == [kept, paused]
    assert listed(bob, "?state=active") == [kept]
    assert listed(bob, "?state=paused") == [paused]
    assert listed(bob, "?state=") == [kept, paused]

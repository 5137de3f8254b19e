"""list_subscriptions: GET /api/subscriptions (interface 11.1)."""

from typing import Any

from tests.web import Agent

PATH = "/api/subscriptions"


def page(agent: Agent, query: str = "") -> dict[str, Any]:
    answer = agent.get(PATH + query)
    assert (answer.status, answer.effect) == (200, "read-private;scope=private")
    return dict(answer.json)


def test_the_state_filters(bob: Agent) -> None:
    kept, paused, deleted = [bob.subscribe("capability", tag) for tag in ("sql", "c", "python")]
    paused = bob.post(f"{PATH}/{paused['id']}/pause").json
    bob.delete(f"{PATH}/{deleted['id']}")
    assert page(bob)["items"] == [kept, paused]
    assert page(bob, "?state=active")["items"] == [kept]
    assert page(bob, "?state=paused")["items"] == [paused]
    assert page(bob, "?state=")["items"] == [kept, paused]

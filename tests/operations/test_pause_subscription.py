"""pause_subscription: POST /api/subscriptions/{id}/pause (interface 11.1)."""

from tests.operations.hand import Operator
from tests.operations.test_create_subscription import APPLIED, NOT_APPLIED
from tests.web import Agent

PATH = "/api/subscriptions"


def test_it_is_paused_once(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    answer = bob.post(f"{PATH}/{made['id']}/pause")
    assert (answer.status, answer.effect) == (200, APPLIED)
    paused = answer.json
    assert paused == {**made, "state": "paused", "paused_at": paused["paused_at"]}
    assert paused["paused_at"] > made["created"]
    # it should not change on a repeat, nor should its time
    again = bob.post(f"{PATH}/{made['id']}/pause", {})
    assert (again.status, again.effect, again.json) == (200, NOT_APPLIED, paused)


def test_nothing_is_recorded_from_then_on(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = bob.subscribe("community", "paused-1")
    before = alice.thread(community="paused-1")
    bob.post(f"{PATH}/{made['id']}/pause")
    alice.thread(community="paused-1")
    # it should deliver events for earlier posts, however late
    operator.deliver()
    assert [event["id"] for event in bob.events()] == [before["id"]]

"""resume_subscription: POST /api/subscriptions/{id}/resume (interface 11.1)."""

from tests.operations.hand import Operator
from tests.operations.test_create_subscription import APPLIED
from tests.web import Agent

PATH = "/api/subscriptions"


def test_pausing_and_resuming_leaves_nothing_behind_when_nothing_was_published(bob: Agent, operator: Operator) -> None:
    made = bob.subscribe("community", "resumed-2")
    for _ in range(5):
        bob.post(f"{PATH}/{made['id']}/pause")
        bob.post(f"{PATH}/{made['id']}/resume")
    assert operator.count("subscription_spans", f"subscription_id = {made['id']}") == 1


def test_the_subscription_to_a_thread_that_was_hidden_can_be_resumed(
    alice: Agent, bob: Agent, carol: Agent, operator: Operator
) -> None:
    thread = alice.thread()
    path = f"{PATH}/{bob.subscribe('thread', str(thread['id']))['id']}"
    bob.post(f"{path}/pause")
    operator.hide(thread)
    assert bob.post(f"{path}/resume").effect == APPLIED
    # it should deliver replies again when the thread is shown again
    operator.unhide(thread)
    reply = carol.reply(thread)
    operator.deliver()
    assert [event["id"] for event in bob.events()] == [reply["id"]]

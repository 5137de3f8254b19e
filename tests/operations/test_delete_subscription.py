"""delete_subscription: DELETE /api/subscriptions/{id} (interface 11.1)."""

from tests.operations.hand import Operator
from tests.operations.test_create_subscription import APPLIED, NOT_APPLIED
from tests.web import Agent

PATH = "/api/subscriptions"


def test_it_is_deleted_once_and_stays_deleted(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    for effect in (APPLIED, NOT_APPLIED, NOT_APPLIED):
        answer = bob.delete(f"{PATH}/{made['id']}")
        assert (answer.status, answer.effect) == (200, effect)
        assert answer.json == {"id": made["id"], "deleted": True}
    assert bob.get(PATH).json["items"] == []


def test_what_was_heard_of_stays_in_the_inbox(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = bob.subscribe("community", "deleted-2")
    told, late = (alice.thread(community="deleted-2"), alice.thread(community="deleted-2"))
    operator.deliver()
    before = bob.events()
    late = alice.thread(community="deleted-2")
    bob.delete(f"{PATH}/{made['id']}")
    alice.thread(community="deleted-2")
    # it should deliver events for earlier posts, and for none after the deletion
    operator.deliver()
    assert bob.events()[:2] == before
    assert [event["id"] for event in bob.events()] == [told["id"], told["id"] + 1, late["id"]]
    assert all(event["subscription_ids"] == [made["id"]] for event in bob.events())


def test_a_body_has_no_meaning(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    answer = bob.call("DELETE", f"{PATH}/{made['id']}", content=b"{", headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.effect) == (200, APPLIED)

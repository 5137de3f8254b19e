"""delete_subscription: DELETE /api/subscriptions/{id} (interface 11.1)."""

from tests.operations.hand import Operator
from tests.operations.test_create_subscription import APPLIED, NOT_APPLIED, same_refusal
from tests.web import Agent, Web

PATH = "/api/subscriptions"


def test_it_is_deleted_once_and_stays_deleted(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    for effect in (APPLIED, NOT_APPLIED, NOT_APPLIED):
        answer = bob.delete(f"{PATH}/{made['id']}")
        assert (answer.status, answer.effect) == (200, effect)
        assert answer.json == {"id": made["id"], "deleted": True}
        assert answer.headers["Cache-Control"] == "no-store"
    assert bob.get(PATH).json["items"] == []


def test_a_paused_one_can_be_deleted(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = bob.subscribe("community", "deleted-1")
    bob.post(f"{PATH}/{made['id']}/pause")
    assert bob.delete(f"{PATH}/{made['id']}").effect == APPLIED
    alice.thread(community="deleted-1")
    operator.deliver()
    assert bob.events() == []


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


def test_a_foreign_one_and_an_unknown_one_are_not_found_alike(bob: Agent, carol: Agent, web: Web) -> None:
    foreign = carol.subscribe("community", "meta")["id"]
    unknown = bob.delete(f"{PATH}/9007199254740991")
    assert (unknown.status, unknown.code, unknown.effect) == (404, "not_found", NOT_APPLIED)
    for subscription in (foreign, foreign):
        answer = bob.delete(f"{PATH}/{subscription}")
        assert same_refusal(answer.json, unknown.json)
        assert len(answer.content) == len(unknown.content)
    assert len(carol.get(PATH).json["items"]) == 1
    # it should give the same answer after the owner has deleted it
    carol.delete(f"{PATH}/{foreign}")
    assert same_refusal(bob.delete(f"{PATH}/{foreign}").json, unknown.json)


def test_a_body_has_no_meaning(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    answer = bob.call("DELETE", f"{PATH}/{made['id']}", content=b"{", headers={"Content-Type": "text/plain"})
    assert (answer.status, answer.effect) == (200, APPLIED)


def test_the_path_of_a_subscription_takes_no_other_method(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    for method in ("GET", "POST", "PATCH"):
        answer = bob.call(method, f"{PATH}/{made['id']}", {} if method != "GET" else None)
        assert (answer.status, answer.headers["Allow"]) == (405, "DELETE, OPTIONS")
    answer = bob.call("OPTIONS", f"{PATH}/{made['id']}")
    assert (answer.status, answer.headers["Allow"]) == (200, "DELETE, OPTIONS")
    assert "Access-Control-Allow-Methods" not in answer.headers

"""pause_subscription: POST /api/subscriptions/{id}/pause (interface 11.1)."""

from tests.operations.hand import Operator
from tests.operations.test_create_subscription import APPLIED, NOT_APPLIED, same_refusal
from tests.web import Agent

PATH = "/api/subscriptions"


def test_it_is_paused_once(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    answer = bob.post(f"{PATH}/{made['id']}/pause")
    assert (answer.status, answer.effect, answer.headers["Cache-Control"]) == (200, APPLIED, "no-store")
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


def test_another_subscription_to_the_same_post_still_hears_of_it(alice: Agent, bob: Agent, operator: Operator) -> None:
    paused = bob.subscribe("community", "paused-2")
    kept = bob.subscribe("capability", "paused tag")
    bob.post(f"{PATH}/{paused['id']}/pause")
    alice.thread(community="paused-2", wanted_capabilities=["Paused Tag"])
    operator.deliver()
    (event,) = bob.events()
    assert (event["kind"], event["subscription_ids"]) == ("capability.request", [kept["id"]])


def test_others_go_on_hearing_of_what_was_followed_at_the_same_moment(
    alice: Agent, bob: Agent, carol: Agent, operator: Operator
) -> None:
    carol.subscribe("community", "paused-3")
    paused = bob.subscribe("community", "paused-3")
    heard = [alice.thread(community="paused-3")["id"]]
    bob.post(f"{PATH}/{paused['id']}/pause")
    heard.append(alice.thread(community="paused-3")["id"])
    operator.deliver()
    assert [event["id"] for event in carol.events()] == heard
    assert [event["id"] for event in bob.events()] == heard[:1]


def test_a_foreign_one_an_unknown_one_and_a_deleted_one_are_not_found_alike(
    bob: Agent, carol: Agent, operator: Operator
) -> None:
    foreign = carol.subscribe("community", "meta")["id"]
    deleted = bob.subscribe("announcements")["id"]
    bob.delete(f"{PATH}/{deleted}")
    spans = operator.sql("SELECT * FROM subscription_spans ORDER BY subscription_id, from_id")
    for action in ("pause", "resume"):
        unknown = bob.post(f"{PATH}/9007199254740991/{action}")
        assert (unknown.code, unknown.effect) == ("not_found", NOT_APPLIED)
        for subscription in (foreign, deleted):
            answer = bob.post(f"{PATH}/{subscription}/{action}")
            assert same_refusal(answer.json, unknown.json)
            assert len(answer.content) == len(unknown.content)
    # it should not have changed anything for its owner
    assert operator.sql("SELECT * FROM subscription_spans ORDER BY subscription_id, from_id") == spans
    assert carol.get(PATH).json["items"][0]["state"] == "active"


def test_a_field_is_refused(bob: Agent) -> None:
    made = bob.subscribe("community", "meta")
    answer = bob.post(f"{PATH}/{made['id']}/pause", {"until": 1})
    assert (answer.status, answer.codes) == (400, [("until", "unknown_field")])
    assert bob.get(PATH).json["items"] == [made]

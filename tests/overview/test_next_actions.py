"""The next actions that the dashboard proposes to an agent (interface 10.4)."""

from typing import Any

from tests.operations.hand import Operator
from tests.overview.dashboard import HOME, home
from tests.web import Agent, Web


def test_next_actions_come_in_their_order_and_are_done_as_they_say(web: Web, operator: Operator) -> None:
    alice = web.register("alice", capabilities=["sql"])
    bob = web.register("bob")
    mine = alice.thread()
    open_thread = bob.thread(wanted_capabilities=["SQL"])
    other = bob.thread()
    reply = bob.reply(mine)
    found = home(alice)["next_actions"]
    assert [action["action"] for action in found] == [
        "answer_reply", "first_reply", "explore", "subscribe", "complete_profile", "poll_again",
    ]  # fmt: skip
    assert [action["priority"] for action in found] == [1, 2, 3, 4, 5, 6]
    assert [action["post_ids"] for action in found] == [
        [reply["id"]], [open_thread["id"]], [other["id"], open_thread["id"]], [], [], [],
    ]  # fmt: skip
    # it should be completed by the call that each action names
    bodies: dict[str, Any] = {
        "answer_reply": {"body": "Here."},
        "first_reply": {"body": "Here."},
        "subscribe": {"kind": "capability", "target": "sql"},
        "complete_profile": {"bio": "A bio."},
    }
    for action in found:
        path = action["url"].removeprefix(web.url)
        answer = alice.call(action["method"], path, bodies.get(action["action"]))
        assert answer.status in (200, 201)
        assert answer.effect.split(";")[0] == action["effect"]
    alice.vote(other, 1)
    # it should then disappear, and return when there is something new
    after = web.get("/api/activity?limit=1").json["next_after"]
    assert [action["action"] for action in home(alice, after)["next_actions"]] == ["poll_again"]
    bob.reply(mine, reply_to=alice.reply(mine)["id"])
    assert [action["action"] for action in home(alice, after)["next_actions"]] == ["answer_reply", "poll_again"]
    # it should link to the inbox when an event is waiting there
    bob.thread(wanted_capabilities=["sql"])
    operator.deliver()
    found = home(alice, after)
    assert found["account"]["inbox_unacked"] == found["account"]["subscriptions"] == 1
    inbox = found["next_actions"][1]
    assert inbox["action"] == "process_inbox"
    (event,) = alice.get(inbox["url"].removeprefix(web.url)).json["items"]
    assert alice.post(f"/api/inbox/{event['id']}/ack").json["changed"]
    found = home(alice, after)
    assert found["account"]["inbox_unacked"] == 0
    assert "process_inbox" not in [action["action"] for action in found["next_actions"]]


def test_answers_are_grouped_by_the_thread_they_belong_to_and_the_oldest_comes_first(alice: Agent, bob: Agent) -> None:
    one, two = alice.thread(), bob.thread()
    here = alice.reply(two)
    first = bob.reply(one)["id"]
    second = bob.reply(two, reply_to=here["id"])["id"]
    third = bob.reply(one)["id"]
    answers = [action for action in home(alice)["next_actions"] if action["action"] == "answer_reply"]
    assert [(action["url"], action["post_ids"]) for action in answers] == [
        (one["reply_endpoint"], [first, third]),
        (two["reply_endpoint"], [second]),
    ]


def test_there_are_six_actions_at_most_and_something_of_each_kind(web: Web, operator: Operator) -> None:
    alice, bob = web.register("alice", capabilities=["sql"]), web.register("bob")
    threads = [alice.thread() for _ in range(7)]
    for thread in threads:
        bob.reply(thread)
    kinds = [action["action"] for action in home(alice)["next_actions"]]
    assert kinds == ["answer_reply"] * 3 + ["subscribe", "complete_profile", "poll_again"]
    bob.thread(wanted_capabilities=["sql"])
    found = home(alice)["next_actions"]
    assert [action["action"] for action in found] == [
        "answer_reply", "first_reply", "explore", "subscribe", "complete_profile", "poll_again",
    ]  # fmt: skip
    # it should name the reply that has waited longest
    assert found[0]["url"] == threads[0]["reply_endpoint"]
    # it should propose a first reply even if there is one of everything
    alice.post("/api/subscriptions", {"kind": "capability", "target": "sql"})
    bob.thread(wanted_capabilities=["sql"])
    operator.deliver()
    for subscription in alice.get("/api/subscriptions").json["items"]:
        alice.call("DELETE", f"/api/subscriptions/{subscription['id']}")
    assert [action["action"] for action in home(alice)["next_actions"]] == [
        "answer_reply", "process_inbox", "first_reply", "explore", "subscribe", "complete_profile",
    ]  # fmt: skip


def test_who_has_not_seen_all_is_led_on_at_once_and_others_are_told_when_to_come_back(
    alice: Agent, bob: Agent, web: Web, operator: Operator
) -> None:
    thread = alice.thread()
    for _ in range(3):
        operator.forget_post_times()
        for _ in range(7):
            bob.reply(thread)
    found = home(alice)
    last = found["next_actions"][-1]
    assert (last["action"], last["url"]) == ("read_on", f"{web.url}{HOME}?after={found['next_after']}")
    rest = home(alice, found["next_after"])
    last = rest["next_actions"][-1]
    assert (last["action"], last["url"]) == ("poll_again", f"{web.url}{HOME}?after={rest['activity'][-1]['id']}")
    assert "60 seconds" in last["reason"]
    assert last["effect"] == "read-private"

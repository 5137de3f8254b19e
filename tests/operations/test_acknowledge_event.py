"""acknowledge_event: POST /api/inbox/{event_id}/ack (interface 11.3)."""

from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

APPLIED = "inbox-ack;scope=private;reversible=?0;applied"
NOT_APPLIED = APPLIED + "=?0"


def ack(agent: Web, event: int) -> Answer:
    return agent.post(f"/api/inbox/{event}/ack")


def unacked(agent: Agent) -> int:
    return int(agent.get("/api/home").json["account"]["inbox_unacked"])


def mark(operator: Operator, agent: Agent) -> int:
    (found,) = operator.sql(
        "SELECT coalesce(max(acked_to), 0) FROM inbox_marks JOIN agents ON id = agent_id WHERE name = $1", agent.name
    )
    return int(found[0])


def events(alice: Agent, bob: Agent, operator: Operator, community: str, count: int = 3) -> list[int]:
    """New events in bob's inbox."""
    operator.forget_post_times()
    bob.post("/api/subscriptions", {"kind": "community", "target": community})
    made = [alice.thread(community=community)["id"] for _ in range(count)]
    operator.deliver()
    return made


def test_what_is_left_is_counted_in_whatever_order_it_is_done(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = events(alice, bob, operator, "ack-7", 6)
    assert (unacked(bob), mark(operator, bob)) == (6, 0)
    # it should mark the last event up to which all are acknowledged, so that counts can start there
    left = list(made)
    for n, done in ((2, 0), (0, made[0]), (1, made[2]), (5, made[2]), (4, made[2])):
        ack(bob, made[n])
        left.remove(made[n])
        assert unacked(bob) == len(left)
        assert [event["id"] for event in bob.events("?unacked=true")] == left
        assert made[0] <= mark(operator, bob) < made[3] if done else mark(operator, bob) < made[0]
    ack(bob, made[3])
    assert (unacked(bob), mark(operator, bob)) == (0, made[5])
    (new,) = events(alice, bob, operator, "ack-7", 1)
    assert unacked(bob) == 1
    ack(bob, new)
    assert (unacked(bob), mark(operator, bob)) == (0, new)


def test_each_reader_of_a_post_acknowledges_for_itself(
    alice: Agent, bob: Agent, carol: Agent, operator: Operator
) -> None:
    carol.subscribe("community", "ack-3")
    (event,) = events(alice, bob, operator, "ack-3", 1)
    assert ack(bob, event).json["changed"] is True
    assert [shown["acked"] for shown in carol.events()] == [False]
    assert [shown["id"] for shown in carol.events("?unacked=true")] == [event]
    assert (unacked(carol), mark(operator, carol)) == (1, 0)

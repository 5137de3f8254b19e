"""acknowledge_events: POST /api/inbox/ack (interface 11.3)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from services.board.access.tokens import Caller, hash_token
from services.board.inbox import inbox
from services.contract.bounds import INBOX_COUNTED
from services.contract.requests.bodies import InboxAck
from tests.operations.hand import Operator
from tests.operations.test_acknowledge_event import APPLIED, NOT_APPLIED, events, mark, unacked
from tests.web import Agent, Answer, Web

PATH = "/api/inbox/ack"
MISSING = 9007199254740991


def ack(agent: Web, **chosen: Any) -> Any:
    answer = agent.post(PATH, chosen)
    assert answer.status == 200, answer.content
    # the effect should say whether anything was acknowledged
    assert answer.effect == (APPLIED if answer.json["acked"] else NOT_APPLIED)
    return answer.json


def result(acked: int, already: int = 0, unknown: tuple[int, ...] = ()) -> dict[str, Any]:
    return {"acked": acked, "already": already, "unknown": list(unknown)}


def acked(agent: Agent) -> list[int]:
    return [event["id"] for event in agent.events() if event["acked"]]


def test_all_events_up_to_an_id_are_acknowledged_once(alice: Agent, bob: Agent, operator: Operator) -> None:
    alice.thread()  # so that there is an id before the first event
    made = events(alice, bob, operator, "acks-1", 5)
    assert ack(bob, up_to=made[2]) == result(3)
    assert acked(bob) == made[:3]
    before = bob.events()
    # a repeat should change nothing, not even the times
    assert ack(bob, up_to=made[2]) == result(0, 3)
    assert bob.events() == before
    # the id need not be that of an event
    assert ack(bob, up_to=MISSING) == result(2, 3)
    assert (acked(bob), unacked(bob), mark(operator, bob)) == (made, 0, made[-1])
    assert ack(bob, up_to=made[0] - 1) == result(0)


def test_events_are_acknowledged_by_their_ids(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = events(alice, bob, operator, "acks-2", 5)
    other = alice.thread()["id"]
    wanted = [made[3], MISSING, made[1], made[3], other]
    assert ack(bob, ids=wanted) == result(2, 0, (MISSING, other))
    assert acked(bob) == [made[1], made[3]]
    assert ack(bob, ids=[*wanted, made[0]]) == result(1, 2, (MISSING, other))
    # the rest should be counted from the first event that is not acknowledged
    assert (unacked(bob), mark(operator, bob)) == (2, made[1])
    assert ack(bob, up_to=made[-1]) == result(2, 3)


def test_an_event_that_is_delivered_later_is_not_acknowledged(alice: Agent, bob: Agent, operator: Operator) -> None:
    first, *_ = events(alice, bob, operator, "acks-4", 1)
    late = alice.thread(community="acks-4")["id"]
    assert ack(bob, up_to=MISSING) == result(1)
    operator.deliver()
    assert [(event["id"], event["acked"]) for event in bob.events()] == [(first, True), (late, False)]
    assert unacked(bob) == 1


def test_of_many_calls_at_once_each_event_counts_in_one(alice: Agent, bob: Agent, operator: Operator) -> None:
    made = events(alice, bob, operator, "acks-5", 8)
    calls: list[dict[str, Any]] = [{"up_to": made[-1]}, {"ids": made[::-1]}, {"up_to": made[4]}, {"ids": made[2:6]}] * 4

    def over_its_own(chosen: dict[str, Any]) -> Answer:
        with Web(bob.url, bob.token) as own:
            return own.post(PATH, chosen)

    with ThreadPoolExecutor(len(calls)) as threads:
        answers = list(threads.map(over_its_own, calls))
    assert {answer.status for answer in answers} == {200}
    assert sum(answer.json["acked"] for answer in answers) == len(made)
    sizes = [8, 8, 5, 4] * 4
    assert [answer.json["acked"] + answer.json["already"] for answer in answers] == sizes
    assert (unacked(bob), mark(operator, bob)) == (0, made[-1])


def test_many_events_are_acknowledged_in_steps(
    alice: Agent, bob: Agent, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    (event,) = events(alice, bob, operator, "acks-6", 1)
    monkeypatch.setattr(inbox, "ACKS_PER_STEP", 100)
    more = INBOX_COUNTED + 499
    insert_events(operator, bob, more)
    caller = Caller(0, bob.name, hash_token(str(bob.token)))

    def acknowledge(**chosen: Any) -> tuple[int, int]:
        change = operator.act(lambda db: inbox.acknowledge_events(db, caller, InboxAck(**chosen)))
        return change.result.acked, change.result.already

    assert acknowledge(up_to=event + 249) == (250, 0)
    # of those acknowledged before, only the newest should be looked at
    assert acknowledge(up_to=event + more) == (more + 1 - 250, 0)
    assert acknowledge(up_to=event + more) == (0, INBOX_COUNTED)
    assert unacked(bob) == 0


def insert_events(operator: Operator, agent: Agent, count: int) -> None:
    """Put more events into an inbox, with the ids after that of its only one."""
    operator.sql(
        "INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)"
        " SELECT agent_id, event_id + n, kind, subscription_ids FROM inbox JOIN agents ON id = agent_id,"
        " generate_series(1, $2::int) n WHERE name = $1",
        agent.name,
        count,
    )

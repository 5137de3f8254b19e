"""From a subscription to an acknowledged event, through an API process and a fan-out process."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.processes import ApiProcess
from tests.web import Agent, Web

EVENT_SECONDS = 120


@pytest.fixture
def web(start_api: Callable[..., ApiProcess], start_fanout: Callable[..., ApiProcess]) -> Iterator[Web]:
    """A client of a board with its own fan-out process."""
    start_fanout()
    with Web(start_api().url) as client:
        yield client


def next_events(agent: Agent, after: int) -> list[dict[str, Any]]:
    """Return the events after a cursor as soon as there are any, polling as an agent does."""
    for _ in range(EVENT_SECONDS * 20):
        if events := agent.events(f"?after={after}"):
            return events
        time.sleep(0.05)
    raise TimeoutError


def test_an_agent_subscribes_receives_acknowledges_and_unsubscribes(web: Web) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    subscription = bob.subscribe("capability", "SQL")
    thread = alice.thread("Who knows?", wanted_capabilities=["sql"])
    (event,) = next_events(bob, 0)
    assert (event["kind"], event["thread_id"], event["subscription_ids"]) == (
        "capability.request", thread["id"], [subscription["id"]],
    )  # fmt: skip
    # an agent that follows the thread it answers should not receive its own reply
    followed = bob.subscribe("thread", str(event["thread_id"]))
    bob.reply(thread)
    assert bob.post(f"/api/inbox/{event['id']}/ack").json["changed"] is True
    answer = alice.reply(thread)
    (received,) = next_events(bob, event["id"])
    assert (received["id"], received["kind"]) == (answer["id"], "thread.reply")
    # it should receive nothing more after it has unsubscribed, and keep what it received
    for stopped in (subscription, followed):
        assert bob.delete(f"/api/subscriptions/{stopped['id']}").json["deleted"] is True
    alice.reply(thread)
    alice.thread(wanted_capabilities=["sql"])
    bob.subscribe("community", "general")
    last = alice.thread()
    assert [found["id"] for found in next_events(bob, received["id"])] == [last["id"]]
    assert [found["id"] for found in bob.events()] == [event["id"], received["id"], last["id"]]
    assert [found["id"] for found in bob.events("?unacked=true")] == [received["id"], last["id"]]

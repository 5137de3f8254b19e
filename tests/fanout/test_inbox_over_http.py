"""From a subscription to an acknowledged event, through an api process and a fanout process (interface.md 4.4)."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.processes import ApiProcess
from tests.web import Agent, Web

EVENT_SECONDS = 30


@pytest.fixture
def web(start_api: Callable[..., ApiProcess], start_fanout: Callable[..., ApiProcess]) -> Iterator[Web]:
    """A client of a board with a fan-out of its own."""
    start_fanout()
    with Web(start_api().url) as client:
        yield client


def next_events(agent: Agent, after: int) -> list[dict[str, Any]]:
    """The events after a cursor, once there are any: the reader asks again, as an agent would, only sooner."""
    for _ in range(EVENT_SECONDS * 20):
        if events := agent.events(f"?after={after}"):
            return events
        time.sleep(0.05)
    raise TimeoutError


def test_an_agent_follows_hears_acknowledges_and_stops(web: Web) -> None:
    alice, bob = web.register("alice"), web.register("bob")
    subscription = bob.subscribe("capability", "SQL")
    thread = alice.thread("Who knows?", wanted_capabilities=["sql"])
    (event,) = next_events(bob, 0)
    assert (event["kind"], event["thread_id"], event["subscription_ids"]) == (
        "capability.request", thread["id"], [subscription["id"]],
    )  # fmt: skip
    # it should follow the thread that it answers, and not hear of its own reply
    followed = bob.subscribe("thread", str(event["thread_id"]))
    bob.reply(thread)
    assert bob.post(f"/api/inbox/{event['id']}/ack").json["changed"] is True
    answer = alice.reply(thread)
    (heard,) = next_events(bob, event["id"])
    assert (heard["id"], heard["kind"]) == (answer["id"], "thread.reply")
    # it should hear of nothing more when it has stopped, and keep what it has heard
    for stopped in (subscription, followed):
        assert bob.delete(f"/api/subscriptions/{stopped['id']}").json["deleted"] is True
    alice.reply(thread)
    alice.thread(wanted_capabilities=["sql"])
    bob.subscribe("community", "general")
    last = alice.thread()
    assert [found["id"] for found in next_events(bob, heard["id"])] == [last["id"]]
    assert [found["id"] for found in bob.events()] == [event["id"], heard["id"], last["id"]]
    assert [found["id"] for found in bob.events("?unacked=true")] == [heard["id"], last["id"]]

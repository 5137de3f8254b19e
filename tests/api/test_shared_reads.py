"""Polls that wait at the same time share one statement, which gives each agent the current page of its own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.api.raw import Raw
from tests.metrics import metric
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.raw import bearer, request
from tests.waiting import wait_until
from tests.web import Agent, Web

# A table that the statement of each poll reads, and no other request of these tests.
INBOX = "/api/inbox?unacked=true"
POLLS = {
    INBOX: ("inbox_marks", "read_inbox"),
    "/api/notifications": ("posts", "read_notifications"),
    "/api/home": ("votes", "unnest"),
}
AFTER_THE_FEED = request("GET", "/api/stats")


@contextmanager
def statement_waits(operator: Operator, path: str, connection: Raw, agent: Agent) -> Iterator[None]:
    """Send a poll whose statement has begun, and waits until the block ends."""
    table, _ = POLLS[path]
    with Operator(operator.url) as holder:
        holder.sql("BEGIN")
        holder.sql(f"LOCK TABLE {table}")
        connection.send(poll(agent, path))
        wait_until(lambda: operator.count("pg_stat_activity", waiting_for(path)) == 1)
        yield
        holder.sql("ROLLBACK")


def waiting_for(path: str) -> str:
    """The condition of the statements that wait for the lock."""
    return f"wait_event_type = 'Lock' AND query LIKE '%{POLLS[path][1]}(%' AND datname = current_database()"


def poll(agent: Agent, path: str) -> bytes:
    return request("GET", path, None, bearer(agent.token))


def wait_for_arrivals(api: ApiProcess, connection: Raw, number: int) -> None:
    """Wait until this many polls have passed the change feed, because a later request has passed it."""
    wait_until(lambda: metric(api, "agent_board_requests_in_flight") == number)
    connection.ask(AFTER_THE_FEED)


def followed_thread(agent: Agent) -> dict[str, Any]:
    thread = agent.thread()
    agent.subscribe("thread", str(thread["id"]))
    return thread


def ids(connection: Raw) -> list[int]:
    """The ids of the events of a page, or of the replies on a dashboard."""
    page = connection.answer().json
    return [item["id"] for item in page.get("items", page.get("activity"))]


@pytest.mark.parametrize("path", POLLS)
def test_each_agent_gets_its_own_page(
    path: str,
    api: ApiProcess,
    web: Web,
    alice: Agent,
    bob: Agent,
    operator: Operator,
    connect: Callable[[], Raw],
) -> None:
    agents = [web.register("reader") for _ in range(5)]
    replies = [[alice.reply(followed_thread(agent))["id"] for _ in range(2)] for agent in agents]
    replies.append([])
    agents.append(bob)
    operator.deliver()
    first, other, *connections = [connect() for _ in range(len(agents) + 2)]
    for connection in (other, first):
        connection.ask(AFTER_THE_FEED)
    with statement_waits(operator, path, first, bob):
        for agent, connection in zip(agents, connections, strict=True):
            connection.send(poll(agent, path))
        wait_for_arrivals(api, other, len(agents) + 1)
    assert ids(first) == []
    assert [ids(connection) for connection in connections] == replies


def test_a_poll_does_not_share_a_statement_that_began_before_it(
    api: ApiProcess, alice: Agent, bob: Agent, operator: Operator, connect: Callable[[], Raw]
) -> None:
    reply = bob.reply(followed_thread(alice))
    early, late, other = connect(), connect(), connect()
    other.ask(AFTER_THE_FEED)
    with statement_waits(operator, INBOX, early, alice):
        operator.deliver()
        late.send(poll(alice, INBOX))
        wait_for_arrivals(api, other, 2)
    assert [ids(early), ids(late)] == [[], [reply["id"]]]


def test_what_is_delivered_shows_in_the_next_poll(alice: Agent, bob: Agent, operator: Operator) -> None:
    thread = followed_thread(alice)
    for number in range(3):
        bob.reply(thread)
        # it should not remember that the inbox lacked the event when the reply was published
        assert len(alice.events()) == number
        operator.deliver()
        assert len(alice.events()) == number + 1


def test_a_poll_whose_statement_fails_is_refused(alice: Agent, operator: Operator, connect: Callable[[], Raw]) -> None:
    connection = connect()
    with statement_waits(operator, INBOX, connection, alice):
        operator.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {waiting_for(INBOX)}")
        assert connection.answer().status == 503
    assert connection.ask(poll(alice, INBOX)).status == 200

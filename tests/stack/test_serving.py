"""Agents' calls to the whole stack, through the load balancer."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.contract.limits import ACCOUNT
from tests.stack.make import Board
from tests.web import Agent, Web


@pytest.fixture
def web(board: Board) -> Iterator[Web]:
    with Web(board.url) as client:
        yield client


def test_a_post_reaches_the_inbox_of_an_agent_that_follows(alice: Agent, bob: Agent) -> None:
    community = f"for-{bob.name}"
    alice.post("/api/threads", {"title": "First", "body": "It makes the community.", "community": community})
    assert bob.post("/api/subscriptions", {"kind": "community", "target": community}).status == 201
    thread = {"title": "Second", "body": "Bob hears of it.", "community": community}
    published = alice.post("/api/threads", thread).json["id"]
    deadline = time.monotonic() + 30
    while not (events := bob.get("/api/inbox").json["items"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert [event["id"] for event in events] == [published]


def test_links_lead_to_the_address_that_agents_use(board: Board, web: Web) -> None:
    assert web.get("/api/start").status == 200
    assert f"{board.url}/api/agents/register" in web.get("/skill.md").content.decode()


def test_operators_stop_writing_clean_up_and_undo_it(board: Board, web: Web, alice: Agent, bob: Agent) -> None:
    def ask(*words: str) -> str:
        return board.stack.ask("exec", "-T", "api", "agent-board", *words)

    thread = bob.thread("A question of a spammer")
    ask("freeze", "--reason", "A wave.", "--for", "2h")
    try:
        refused = alice.post("/api/threads", {"title": "t", "body": "b"})
        assert (refused.status, refused.code) == (503, "frozen")
        assert web.get("/api/health").json["frozen"]["reason"] == "A wave."
        assert bob.name in ask("noisy", "--since", "1h")
        done = ask("suspend", bob.name, "--hide", "--reason", "Spam.")
        [batch] = set(re.findall(r"undo ([0-9a-f]{8})`", done))
        assert web.get(f"/api/threads/{thread['id']}").status == 404
        assert ask("agents", "--batch", batch, "--plain") == f"{bob.name}\n"
        assert bob.name in ask("erase", "agent", bob.name, "--reason", "Spam.")
        assert f"2 actions  Spam.  [{batch}]" in ask("audit", "--since", "1h")
    finally:
        ask("thaw")
    ask("undo", batch)
    # new connections: HAProxy has closed those that were idle during the commands
    with Web(board.url, alice.token) as writing, Web(board.url) as reading:
        assert writing.post("/api/threads", {"title": "t", "body": "b"}).status == 201
        assert reading.get(f"/api/threads/{thread['id']}").status == 200


def test_one_limit_holds_over_all_replicas(board: Board, alice: Agent) -> None:
    before, decided_before = calls_of_each_api(board), decided(board)
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: change_profile(board, alice), range(90)))
    # it should admit one quota in total, not one per replica; a call whose check comes too late passes unchecked
    allowed, denied = (after - first for first, after in zip(decided_before, decided(board), strict=True))
    assert allowed == ACCOUNT.quota
    assert denied >= statuses.count(429) > 0
    # the calls should have reached every replica
    assert [after > first for first, after in zip(before, calls_of_each_api(board), strict=True)] == [True, True]


def decided(board: Board) -> tuple[int, int]:
    """Return how many calls that concern accounts the limiter has allowed and denied."""
    [limiter] = board.containers("limiter")
    counted = 'agent_board_limit_decisions_total{policy="account",verdict="%s"}'
    allowed, near, denied = (
        measured(board, limiter.id, counted % verdict) for verdict in ("allowed", "near", "denied")
    )
    return allowed + near, denied


def change_profile(board: Board, agent: Agent) -> int:
    """Change the agent's profile over a separate connection; return the status."""
    time.sleep(0.1)
    connection = http.client.HTTPConnection(board.url.removeprefix("http://"), timeout=30)
    headers = {"Authorization": f"Bearer {agent.token}", "Content-Type": "application/json", "Connection": "close"}
    connection.request("PATCH", "/api/agents/me", json.dumps({"bio": "Changes."}), headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def calls_of_each_api(board: Board) -> list[int]:
    """Return how many profile changes each replica has received."""
    return [calls(board, each.id) for each in board.containers("api")]


def calls(board: Board, container: str) -> int:
    return measured(board, container, "agent_board_requests_total{", 'operation="update_me"')


def measured(board: Board, container: str, *parts: str) -> int:
    """Return the sum of a process's counters whose names and labels have all of these parts."""
    ask = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9000/metrics').read().decode())"
    lines = board.stack.docker("exec", container, "python", "-c", ask).splitlines()
    return int(sum(float(line.rpartition(" ")[2]) for line in lines if all(part in line for part in parts)))

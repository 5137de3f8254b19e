"""Agents' calls to the whole stack, through the load balancer."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

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


def test_one_limit_holds_over_all_replicas(board: Board, alice: Agent) -> None:
    before = calls_of_each_api(board)
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: change_profile(board, alice), range(70)))
    # it should admit one quota in total, not one per replica
    assert (statuses.count(200), statuses.count(429)) == (60, 10)
    # the calls should have reached every replica
    assert [after > first for first, after in zip(before, calls_of_each_api(board), strict=True)] == [True, True]


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
    ask = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9000/metrics').read().decode())"
    metrics = board.stack.docker("exec", container, "python", "-c", ask)
    counted = re.findall(r'^agent_board_requests_total\{[^}]*operation="update_me"[^}]*\} (\S+)$', metrics, re.M)
    return int(sum(map(float, counted)))

"""Agents' calls to a board on a cluster, through its edge."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.cluster.board import ClusterBoard
from tests.web import Agent, Web

QUOTA, CALLS = 60, 70
METRICS = "import urllib.request; print(urllib.request.urlopen('http://127.0.0.1:9000/metrics').read().decode())"
CHANGES = re.compile(r'^agent_board_requests_total\{[^}]*operation="update_me"[^}]*\} (\S+)$', re.M)


@pytest.fixture
def web(board: ClusterBoard) -> Iterator[Web]:
    with Web(board.url) as client:
        yield client


def test_one_limit_holds_over_all_replicas(board: ClusterBoard, alice: Agent) -> None:
    # a window that does not move on during a test, however slow the cluster is
    board.kubectl(
        "exec", next(iter(board.pods("api"))), "--", "agent-board", "limits", "set", "account", f"{QUOTA}/3600"
    )
    before = changes_of_each(board)
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: change_profile(board, alice), range(CALLS)))
    # it should admit one quota in total, not one per replica
    assert (statuses.count(200), statuses.count(429)) == (QUOTA, CALLS - QUOTA)
    # the calls should have reached every replica
    after = changes_of_each(board)
    assert len(after) > 1
    assert all(after[pod] > before[pod] for pod in after)


def change_profile(board: ClusterBoard, agent: Agent) -> int:
    """Change the agent's profile over a separate connection; return the status."""
    time.sleep(0.1)
    connection = http.client.HTTPConnection(urlsplit(board.url).netloc, timeout=30)
    headers = {"Authorization": f"Bearer {agent.token}", "Content-Type": "application/json", "Connection": "close"}
    connection.request("PATCH", "/api/agents/me", json.dumps({"bio": "Changes."}), headers)
    try:
        return connection.getresponse().status
    finally:
        connection.close()


def changes_of_each(board: ClusterBoard) -> dict[str, int]:
    """Return how many profile changes each API process has received."""
    counted = {pod: board.kubectl("exec", pod, "--", "python", "-c", METRICS) for pod in board.pods("api")}
    return {pod: int(sum(map(float, CHANGES.findall(metrics)))) for pod, metrics in counted.items()}

"""Agents' calls to the whole stack, through the load balancer."""

import re
import time
from collections.abc import Iterator

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

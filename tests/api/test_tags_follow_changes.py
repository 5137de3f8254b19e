"""A tag changes with its answer (interface 2.6): on every route that shows a change, and on no other route."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from services.contract.operations import GET, OPERATIONS, Operation
from tests.contract.examples import target_of
from tests.operations.hand import Operator
from tests.web import Agent, Web

READS = [operation for operation in OPERATIONS if operation.method == GET]


@dataclass
class Stage:
    """Alice has a profile and an open thread, both found by a search for `word`; she makes the reads."""

    alice: Agent
    bob: Agent
    web: Web
    operator: Operator
    word: str
    thread: dict[str, Any]

    def tags(self) -> dict[str, str | None]:
        """The tag of every read's answer; None where the object no longer exists."""
        found = {}
        for operation in READS:
            # the opportunities of an agent leave out its own threads
            reader = self.web if operation.name == "list_opportunities" else self.alice
            answer = reader.get(self.target(operation))
            assert answer.status in (200, 404), (operation.name, answer.status)
            found[operation.name] = answer.headers["ETag"]
        return found

    def target(self, operation: Operation) -> str:
        path = target_of(operation).format(id=self.thread["id"], name=self.alice.name, slug="general")
        return f"{path}?q={self.word}" if operation.name in ("search_board", "show_search") else path


@pytest.fixture
def stage(alice: Agent, bob: Agent, web: Web, operator: Operator) -> Stage:
    word = f"word{secrets.token_hex(5)}"
    alice.patch("/api/agents/me", {"bio": word, "capabilities": ["sql"]})
    return Stage(alice, bob, web, operator, word, alice.thread(word))


# The reads that show each change. All others must keep their tags.
THREADS_ARE_LISTED = {
    "list_threads", "list_opportunities", "list_activity", "read_start", "read_feed", "read_atom_feed", "show_board",
    "show_community", "show_requests",
}  # fmt: skip
THREAD_IS_SHOWN = THREADS_ARE_LISTED | {"list_agent_posts", "list_posts", "read_post"}
PROFILE_IS_SHOWN = {"list_agents", "read_agent", "search_board", "read_me", "show_agent", "show_agents", "show_search"}
CHANGES: dict[str, tuple[Callable[[Stage], object], set[str]]] = {
    "a vote": (
        lambda stage: stage.bob.vote(stage.thread, 1),
        (THREAD_IS_SHOWN | PROFILE_IS_SHOWN | {"read_thread", "show_thread", "read_home"}) - {"read_atom_feed"},
    ),
    "a reply": (
        lambda stage: stage.bob.reply(stage.thread),
        THREAD_IS_SHOWN
        | PROFILE_IS_SHOWN
        | {"read_thread", "show_thread", "read_stats", "list_communities", "show_communities", "list_notifications"}
        | {"read_home"},
    ),
    "a new thread": (
        lambda stage: stage.bob.thread(),
        THREADS_ARE_LISTED
        | {"read_stats", "list_communities", "list_agents", "show_communities", "show_agents", "read_home"},
    ),
    "a profile": (lambda stage: stage.alice.patch("/api/agents/me", {"bio": f"{stage.word} too"}), PROFILE_IS_SHOWN),
    "a registration": (
        lambda stage: stage.web.register("dora"),
        {"read_start", "read_stats", "list_agents", "show_agents", "show_board", "read_home"},
    ),
    "a rotation": (lambda stage: rotate(stage.alice), {"read_me"}),
    "a hidden thread": (
        lambda stage: stage.operator.hide(stage.thread),
        THREAD_IS_SHOWN
        | PROFILE_IS_SHOWN
        | {"read_thread", "show_thread", "read_receipt", "read_stats", "list_communities", "show_communities"}
        | {"read_home"},
    ),
    "a suspension": (lambda stage: stage.operator.suspend(stage.bob.name), {"read_start", "read_stats", "show_board"}),
    "a mark": (
        lambda stage: stage.operator.mark(stage.alice.name),
        PROFILE_IS_SHOWN | {"read_start", "read_stats", "show_board", "show_thread", "show_community", "show_requests"},
    ),
    "a description": (
        lambda stage: stage.operator.describe("general", stage.word),
        {"list_communities", "show_communities", "show_community"},
    ),
    "nothing": (lambda stage: stage.bob.vote(stage.thread, 0), set()),
}


def rotate(agent: Agent) -> None:
    agent.token = agent.post("/api/agents/me/token").json["token"]


@pytest.mark.parametrize("change", CHANGES)
def test_the_tag_changes_where_the_change_is_shown_and_nowhere_else(stage: Stage, change: str) -> None:
    make, shown = CHANGES[change]
    stage.bob.get("/api/agents/me")
    before = stage.tags()
    assert all(before.values())
    make(stage)
    after = stage.tags()
    assert {name for name in after if after[name] != before[name]} == shown

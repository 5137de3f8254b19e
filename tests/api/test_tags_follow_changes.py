"""A tag changes with its answer (interface 2.6): after a change, a process with an empty memory sends the same tags."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from services.contract.operation import GET, Operation
from services.contract.operations import OPERATIONS
from tests.conftest import Reading
from tests.contract.examples import path_of
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Agent, Web

# a fixed document never changes
READS = [operation for operation in OPERATIONS if operation.method == GET and not operation.fixed]


@dataclass
class Stage:
    """Alice has a profile and an open thread, both found by a search for `word`; she makes the reads."""

    alice: Agent
    bob: Agent
    web: Web
    operator: Operator
    word: str
    thread: dict[str, Any]

    def tags(self, url: str) -> dict[str, str]:
        """The tag of every read's answer from the process at a URL."""
        with Web(url) as web:
            found = {}
            for operation in READS:
                # the opportunities of an agent leave out its own threads
                token = None if operation.name == "list_opportunities" else self.alice.token
                answer = web.get(self.target(operation), token=token)
                assert answer.status in (200, 404), (operation.name, answer.status)
                found[operation.name] = answer.headers["ETag"]
            return found

    def target(self, operation: Operation) -> str:
        path = path_of(operation, self.alice, self.thread)
        return f"{path}?q={self.word}" if operation.name in ("search_board", "show_search") else path


@pytest.fixture(scope="module")
def api(module_api: ApiProcess) -> ApiProcess:
    """A board for this file: reads of all that there is cost more on the board of all tests."""
    return module_api


@pytest.fixture
def operator(module_operator: Operator) -> Operator:
    return module_operator


@pytest.fixture
def stage(alice: Agent, bob: Agent, web: Web, operator: Operator) -> Stage:
    word = f"word{secrets.token_hex(5)}"
    alice.patch("/api/agents/me", {"bio": word, "capabilities": ["sql"]})
    return Stage(alice, bob, web, operator, word, alice.thread(word))


CHANGES: dict[str, Callable[[Stage], object]] = {
    "a vote": lambda stage: stage.bob.vote(stage.thread, 1),
    "a reply": lambda stage: stage.bob.reply(stage.thread),
    "a new thread": lambda stage: stage.bob.thread(),
    "a profile": lambda stage: stage.alice.patch("/api/agents/me", {"bio": f"{stage.word} too"}),
    "a registration": lambda stage: stage.web.register("dora"),
    "a rotation": lambda stage: rotate(stage.alice),
    "a hidden thread": lambda stage: stage.operator.hide(stage.thread),
    "a suspension": lambda stage: stage.operator.suspend(stage.bob.name),
    "a mark": lambda stage: stage.operator.mark(stage.alice.name),
    "a description": lambda stage: stage.operator.describe("general", stage.word),
    "nothing": lambda stage: stage.bob.vote(stage.thread, 0),
}


def rotate(agent: Agent) -> None:
    agent.token = agent.post("/api/agents/me/token").json["token"]


@pytest.fixture(scope="module")
def other_url(
    api: ApiProcess, module_database: str, reading: Reading, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URL of another process for the same board. Its answers name the same addresses."""
    settings = {"READ_DATABASE_URL": reading(module_database), "BASE_URL": api.url}
    with ApiProcess(module_database, tmp_path_factory.mktemp("other"), **settings) as process:
        yield process.url


# Without the connection of its change feed, a process may have missed something, and empties its memory.
END_FEEDS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE application_name = 'agent-board tail' AND datname = current_database()
"""


@pytest.mark.parametrize("change", CHANGES)
def test_the_tags_are_those_of_a_process_without_a_memory(
    stage: Stage, change: str, api: ApiProcess, other_url: str
) -> None:
    stage.bob.get("/api/agents/me")
    before = stage.tags(api.url)
    CHANGES[change](stage)
    after = stage.tags(api.url)
    stage.operator.sql(END_FEEDS)
    assert after == stage.tags(other_url)
    # it should show every change somewhere
    assert (after == before) == (change == "nothing")

"""A thread is hidden at once and shown at once, however long; only the numbers of agents follow (interface 7.6)."""

from collections.abc import Iterator
from typing import Any

import pytest

from services.board.moderation import hiding
from tests.operations.hand import WHO, Operator
from tests.web import Agent

# The numbers of agents, which follow in steps, and the fields that differ from call to call.
NUMBERS = {"reply_count", "post_count", "score", "contributors"}
EVERY_CALL = {"generated", "posts_left_this_minute", "request_id", "instance"}
STEP = "SELECT set_hidden($1, false, 'olga', '', 1)"


@pytest.fixture(autouse=True)
def one_reply_for_each_step(monkeypatch: pytest.MonkeyPatch, operator: Operator) -> Iterator[None]:
    """Every thread is a long one."""
    monkeypatch.setattr(hiding, "REPLIES_PER_STEP", 1)
    yield
    recount(operator)


def recount(operator: Operator) -> None:
    """Take all steps that are left, as the fan-out does."""
    while operator.act(hiding.recount):
        pass


class Scene:
    """A thread by Alice with three replies by Bob and one by Carol, and everything that shows them."""

    def __init__(self, alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> None:
        self.readers = alice, bob, carol
        alice.subscribe("announcements")
        self.thread = alice.thread()
        self.first = bob.reply(self.thread)
        alice.subscribe("thread", str(self.thread["id"]))
        self.replies = [bob.reply(self.thread), bob.reply(self.thread)]
        self.answer = carol.reply(self.thread, reply_to=self.first["id"])
        alice.vote(self.first, 1)
        operator.deliver()

    def read(self, *without: str) -> list[Any]:
        """Return every answer that shows the thread or a reply."""
        paths = [
            "/api/notifications",
            "/api/home",
            "/api/inbox",
            "/api/agents/me",
            "/api/stats",
            f"/api/activity?after={self.thread['id'] - 1}",
            f"/api/threads/{self.thread['id']}",
            *(f"/api/agents/{reader.name}" for reader in self.readers),
            *(f"/api/threads/{reply['id']}" for reply in self.replies),
            *(f"/api/posts/{reply['id']}/receipt" for reply in self.replies),
        ]
        answers = [reader.get(path) for reader in self.readers for path in paths]
        return [(answer.status, stripped(answer.json, EVERY_CALL | set(without))) for answer in answers]


def stripped(value: Any, names: set[str]) -> Any:
    """Return a JSON value without some numbers."""
    if isinstance(value, list):
        return [stripped(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    # `activity` is a time of an agent, and a list in the dashboard
    return {
        name: stripped(item, names)
        for name, item in value.items()
        if name not in names and not (name == "activity" and "score" in value and names & NUMBERS)
    }


@pytest.fixture
def scene(alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> Scene:
    return Scene(alice, bob, carol, operator)


def test_the_first_step_hides_all_and_the_last_one_shows_all(scene: Scene, bob: Agent, operator: Operator) -> None:
    before = scene.read()
    operator.hide(scene.thread)
    # it should have looked at one reply only
    assert operator.count("posts", f"parent = {scene.thread['id']} AND visible") == 3
    at_once = scene.read(*NUMBERS)
    refused = bob.post(f"/api/posts/{scene.answer['id']}/vote", {"value": 1})
    assert (refused.status, refused.code) == (404, "not_found")
    recount(operator)
    assert operator.count("posts", f"parent = {scene.thread['id']} AND visible") == 0
    hidden = scene.read()
    assert scene.read(*NUMBERS) == at_once
    # it should be shown by its last step, and not before
    for _ in scene.replies:
        assert operator.sql(STEP, scene.thread["id"]) == [("pending",)]
        assert scene.read(*NUMBERS) == at_once
    operator.unhide(scene.thread)
    assert scene.read() == before != hidden


def test_hiding_a_thread_that_is_being_shown_stops_that(scene: Scene, bob: Agent, operator: Operator) -> None:
    operator.hide(scene.thread)
    recount(operator)
    hidden = scene.read()
    assert operator.sql(STEP, scene.thread["id"]) == [("pending",)]
    assert operator.act(lambda db: hiding.hide(db, scene.thread["id"], "Off topic.", WHO))
    recount(operator)
    assert scene.read("hidden_at") == [(status, stripped(json, {"hidden_at"})) for status, json in hidden]

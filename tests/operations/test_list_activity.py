"""list_activity: GET /api/activity (interface 10.2)."""

from typing import Any

import pytest

from services.contract.requests.bodies import ReplyCreate, ThreadCreate
from tests.contract.values import two_values
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

ACTIVITY = "/api/activity"


def newest(web: Web) -> int:
    """Return the cursor of an agent that has seen every post."""
    return int(web.get(f"{ACTIVITY}?limit=1").json["next_after"])


@pytest.fixture
def log(alice: Agent, bob: Agent, web: Web) -> "Log":
    return Log(alice, bob, web)


class Log:
    """A thread by alice with two replies by bob, another thread, and their items in the stream."""

    def __init__(self, alice: Agent, bob: Agent, web: Web) -> None:
        self.web = web
        self.before = newest(web)
        self.thread = alice.thread("First planted", "Second planted", wanted_capabilities=["Third planted"])
        self.first = bob.reply(self.thread, "Fourth planted")
        self.second = bob.reply(self.thread, "Fifth planted", reply_to=self.first["id"])
        self.other = alice.thread("Elsewhere")
        self.whole = self.items()

    def page(self) -> Answer:
        return self.web.get(f"{ACTIVITY}?after={self.before}")

    def items(self) -> list[dict[str, Any]]:
        return list(self.page().json["items"])


def without_text(item: dict[str, Any], thread_title: str) -> dict[str, Any]:
    """Return an item as it should be when hidden; the tallies of a thread may differ."""
    emptied: dict[str, Any] = {"hidden": 1, "body": "", "thread_title": thread_title}
    if item["kind"] == "thread":
        emptied |= {"title": "", "wanted_capabilities": []}
    return {**item, **emptied}


def test_a_hidden_post_shows_nothing_that_its_author_sent(alice: Agent, web: Web, operator: Operator) -> None:
    """Neither a field that is added later."""
    before = newest(web)
    sent, answered = (
        {name: one for name, (one, _) in two_values(schema).items()} for schema in (ThreadCreate, ReplyCreate)
    )
    thread = alice.post("/api/threads", sent).json
    reply = alice.reply(thread, **answered | {"reply_to": None})
    for post in (thread, reply):
        operator.hide(post)
    for item, fields in zip(web.get(f"{ACTIVITY}?after={before}").json["items"], (sent, answered), strict=True):
        shown = {name: item[name] for name in fields.keys() & item.keys() - {"community"} if item[name]}
        assert shown == {}, "COMPUTED in threads.py, SEEN in streams.py"


def test_a_reply_stays_hidden_when_its_thread_is_shown_again(log: Log, operator: Operator) -> None:
    thread, first, second, other = log.whole
    operator.hide(log.first)
    operator.hide(log.thread)
    counted = {**thread, "reply_count": 1}
    assert log.items() == [without_text(item, "") for item in (counted, first, second)] + [other]
    operator.unhide(log.thread)
    assert log.items() == [counted, without_text(first, "First planted"), second, other]
    # it should show every item again as it was
    operator.unhide(log.first)
    assert log.items() == log.whole


def test_a_reply_of_a_hidden_thread_counts_until_it_is_hidden_itself(log: Log, operator: Operator) -> None:
    operator.hide(log.thread)
    assert log.items()[0]["reply_count"] == 2
    operator.hide(log.second)
    assert log.items()[0]["reply_count"] == 1
    operator.unhide(log.second)
    assert log.items()[0]["reply_count"] == 2

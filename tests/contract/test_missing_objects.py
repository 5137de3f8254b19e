"""Objects that a caller may not see are like unknown ones for every operation that answers 404 (interface 3.4)."""

from dataclasses import dataclass
from typing import Any

import pytest

from services.contract.bounds import RESERVED_NAMES
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import belongings, body_of, each_of, over
from tests.operations.hand import Operator
from tests.web import Agent, Answer, Web

MISSING = 9007199254740991
NO_ID = (
    "0", "00", "01", "-1", "+1", "%2B1", "1_0", "1.0", "1e3", "%31%C2%A0", "%D9%A1", "9007199254740992", "9" * 400,
    "one", "%20", "1%20", "%201", "null", "0x1", "1;", "1;x", "%00", "*", ".", "..", "%2e%2e", "1%2Freplies",
)  # fmt: skip
NO_NAME = (
    "nobody-has-this-name", "a" * 41, "a" * 3000, "%00", "%20", "a%2Fb", "%2e%2e", "..", "-a", "%C3%A9", "%FF", "%zz",
    "a%0Ab", "%F0%9F%A6%9E", "%ED%A0%80", "a'--", "-", "%3Cscript%3E", *RESERVED_NAMES[2:],
)  # fmt: skip
NO_TILE = ("7/000", "0", "00/000", "0/000.p/0", "entries", "0/x001", "0/x001/x002", "-1/000",
           "0/" + "x123/" * 6 + "000", "0/" + "x123/" * 1500 + "000")  # fmt: skip
NO_BUNDLE = ("0", "000.p/0", "000.p/256", "x000/000", "000/", "0000", "000.p/01", "0/000", "-01",
             "x123/" * 1500 + "000")  # fmt: skip
# Impossible values of each parameter.
IMPOSSIBLE = {
    "id": NO_ID, "event_id": NO_ID, "name": NO_NAME, "tile": NO_TILE, "bundle": NO_BUNDLE,
    "slug": ("-", "a_b", "%3Cscript%3E", "a" * 41, "nowhere-at-all"),
}  # fmt: skip
FINDING = [operation for operation in OPERATIONS if operation.finds and operation.parameters]
OF_POSTS = [operation for operation in FINDING if operation.path.startswith(("/api/threads/", "/api/posts/", "/t/"))]
OF_THREADS = [operation for operation in OF_POSTS if not operation.path.startswith("/api/posts/")]
# Later pages are read by other statements.
LATER_PAGES = {"read_thread": "?sort=score", "show_thread": "?page=2"}
OWNED = [operation for operation in FINDING if operation.path.startswith(("/api/subscriptions/", "/api/inbox/"))]


def ask(agent: Web, operation: Operation, value: object) -> Answer:
    """Call an operation with this value in its path."""
    (parameter,) = operation.parameters
    return agent.call(operation.method, operation.path.replace(f"{{{parameter}}}", str(value)), body_of(operation))


def refusal(answer: Answer, operation: Operation) -> dict[str, Any]:
    """The 404 of an answer, without what differs between two requests."""
    assert (answer.status, answer.code, answer.effect) == (404, "not_found", operation.effect.header(False))
    return {name: value for name, value in answer.json.items() if name not in ("request_id", "instance")}


def like_missing(agent: Web, operation: Operation, value: object) -> bool:
    """Whether an operation answers for an object as for one that never was, to the byte."""
    found, missing = ask(agent, operation, value), ask(agent, operation, MISSING)
    same_length = operation.path.startswith("/t/") or len(found.content) == len(missing.content)
    return same_length and refusal(found, operation) == refusal(missing, operation)


@dataclass
class Hidden:
    """A hidden thread with a visible reply, and a hidden reply in a visible thread."""

    thread: dict[str, Any]
    inside: dict[str, Any]
    kept: dict[str, Any]
    reply: dict[str, Any]


@pytest.fixture
def hidden(alice: Agent, operator: Operator) -> Hidden:
    thread, kept = alice.thread(), alice.thread()
    posts = Hidden(thread, alice.reply(thread), kept, alice.reply(kept))
    operator.hide(posts.thread)
    operator.hide(posts.reply)
    return posts


@each_of(FINDING)
def test_what_cannot_be_there_is_not_found(operation: Operation, bob: Agent) -> None:
    (parameter,) = operation.parameters
    for value in IMPOSSIBLE[parameter]:
        answer = ask(bob, operation, value)
        assert answer.status == 404, value
        assert answer.code == "not_found"


@over(OF_POSTS)
def test_a_hidden_post_is_as_one_that_never_was(
    operation: Operation, bob: Agent, alice: Agent, operator: Operator, hidden: Hidden
) -> None:
    before = operator.sql("SELECT last_id, last_seq FROM log_head")
    for post in (hidden.thread, hidden.inside, hidden.reply):
        assert like_missing(bob, operation, post["id"])
        if operation.name in LATER_PAGES:
            assert ask(bob, operation, f"{post['id']}{LATER_PAGES[operation.name]}").status == 404
    assert ask(alice, operation, hidden.thread["id"]).status == 404, "its author sees no more"
    assert operator.sql("SELECT last_id, last_seq FROM log_head") == before
    operator.unhide(hidden.thread)
    assert ask(bob, operation, hidden.thread["id"]).status == operation.status


# /t/{id} sends every client from a reply to its place in the thread (operations/test_show_thread.py).
@over([operation for operation in OF_THREADS if not operation.redirects])
def test_the_id_of_a_visible_reply_leads_to_its_thread(operation: Operation, alice: Agent, bob: Agent) -> None:
    thread = alice.thread()
    hint = refusal(ask(bob, operation, alice.reply(thread)["id"]), operation)["hint"]
    assert hint.startswith(f"This id belongs to a reply in thread {thread['id']}.")


@over(OWNED)
def test_what_belongs_to_another_is_as_what_never_was(
    operation: Operation, alice: Agent, bob: Agent, carol: Agent, operator: Operator
) -> None:
    made = belongings(operation, bob, operator.deliver)
    found = made.get("event_id", made["subscription_id"])
    kept = "SELECT s::text FROM subscriptions s UNION ALL SELECT s::text FROM subscription_spans s ORDER BY 1"
    before, unread = operator.sql(kept), bob.events()
    assert like_missing(carol, operation, found)
    assert like_missing(alice, operation, found)
    assert (operator.sql(kept), bob.events()) == (before, unread)
    assert ask(bob, operation, found).status == operation.status
    # it should stay so for others, and for its owner once it is deleted
    if operation.parameters == ["id"]:
        bob.delete(f"/api/subscriptions/{found}")
        assert like_missing(carol, operation, found)
        assert operation.method == "DELETE" or like_missing(bob, operation, found)
    else:
        assert like_missing(bob, operation, alice.thread()["id"]), "a post that is no event"

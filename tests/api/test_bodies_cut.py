"""`body` cuts the bodies of every read of posts, and of no other answer (interface 7.8)."""

from typing import Any

import pytest

from services.contract.media_types import HTML
from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.operations.hand import Operator
from tests.web import Agent

WORDS = "Some words that take more room than a quiet visit has. " * 10
FEEDS = {"read_feed", "read_atom_feed"}
READS = [operation for operation in OPERATIONS if operation.method == "GET" and operation.media_type != HTML]


def cuts(operation: Operation) -> bool:
    return operation.query is not None and "body" in operation.query.__struct_fields__


def posts_in(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [post for each in value for post in posts_in(each)]
    if not isinstance(value, dict):
        return []
    inner = [post for each in value.values() for post in posts_in(each)]
    return [value, *inner] if "body" in value and "author" in value else inner


@pytest.fixture
def thread(alice: Agent, bob: Agent, carol: Agent, operator: Operator) -> dict[str, Any]:
    """A thread with a reply, each with a long body, that all lists of Alice have."""
    alice.subscribe("thread", str(carol.thread(body=WORDS, wanted_capabilities=["sql"])["id"]))
    thread = alice.thread("quokka", WORDS)
    alice.subscribe("thread", str(thread["id"]))
    bob.reply(thread, WORDS)
    operator.deliver()
    return thread


@each_of([operation for operation in READS if cuts(operation)])
def test_every_body_is_cut_and_its_length_is_known(operation: Operation, alice: Agent, thread: dict[str, Any]) -> None:
    path = path_of(operation, alice, thread)
    path += ("&" if "?" in path else "?") + {"list_inbox": "include=post&", "search_board": "q=quokka&"}.get(
        operation.name, ""
    )
    found = posts_in(alice.get(f"{path}body=200").json)
    assert max(len(post["body"]) for post in found) <= 200
    # other tests have posts on this board, too
    own = [post["body"] for post in found if post["body_length"] == len(WORDS)]
    assert own
    assert all(WORDS.startswith(body + " ") for body in own)
    assert {post["body"] for post in posts_in(alice.get(f"{path}body=0").json)} == {""}
    assert not [post for post in posts_in(alice.get(path.rstrip("&?")).json) if "body_length" in post]


@each_of(READS)
def test_every_read_of_posts_has_the_parameter(operation: Operation, alice: Agent, thread: dict[str, Any]) -> None:
    if operation.name in FEEDS or "json" not in operation.media_type or operation.document:
        assert not cuts(operation)
        return
    answer = alice.get(path_of(operation, alice, thread))
    assert answer.status == 200 or operation.path.startswith("/log/")
    assert cuts(operation) or not posts_in(answer.json)

"""`body` cuts the bodies of every read of posts (interface 7.8). The model leaves them out wherever it finds some."""

from typing import Any

import pytest

from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.contract.examples import each_of, path_of
from tests.operations.hand import Operator
from tests.web import Agent

WORDS = "Some words that take more room than a quiet visit has. " * 10
CUT = [one for one in OPERATIONS if one.query is not None and "body" in one.query.__struct_fields__]


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


@each_of(CUT)
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

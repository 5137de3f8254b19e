"""One valid call of every operation, for tests that run over OPERATIONS.

The body and a required query are those of the operation's example.
"""

import secrets
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlencode

import pytest

from services.contract.operation import Operation
from services.contract.operations import OPERATIONS
from tests.cases import Test, for_each
from tests.web import Agent, Answer, Web

# The examples of these are not valid for every agent, or not twice.
BODIES: dict[str, Callable[[], dict[str, Any]]] = {
    "register_agent": lambda: {"name": f"dora-{secrets.token_hex(5)}"},
    "update_me": lambda: {"bio": secrets.token_hex(5)},
    "create_subscription": lambda: {"kind": "community", "target": secrets.token_hex(5)},
    "acknowledge_events": lambda: {"up_to": 9007199254740991},
}
# The example names a post of another board.
QUERIES = {"list_posts": "?ids={id}"}
PATHS = [[one for one in OPERATIONS if one.path == path] for path in sorted({one.path for one in OPERATIONS})]


def over(operations: Iterable[Operation]) -> pytest.MarkDecorator:
    """Run a test for each of these operations."""
    return pytest.mark.parametrize("operation", list(operations), ids=lambda operation: str(operation.name))


def each_of(operations: Iterable[Operation]) -> Callable[[Test], Test]:
    """Let one test go through these operations."""
    return for_each("operation", operations, ids=lambda operation: str(operation.name))


each_path = for_each("operations", PATHS, ids=lambda operations: str(operations[0].path))
# used where no object was created: the call is refused before the object is looked up
ANY_ID = 1
# The first leaf of the verifiable log, which every board of the tests has.
TILES = {"bundle": "000.p/1", "tile": "0/000.p/1"}


def belongings(operation: Operation, owner: Agent, deliver: Callable[[], None]) -> dict[str, Any]:
    """The objects besides a thread that an operation needs: an agent's new subscription, an event in its inbox."""
    made = {}
    if operation.path.startswith(("/api/subscriptions/", "/api/inbox/")):
        community = secrets.token_hex(5)
        made["subscription_id"] = owner.subscribe("community", community)["id"]
        if operation.name == "resume_subscription":
            owner.post(f"/api/subscriptions/{made['subscription_id']}/pause")
        if operation.path.startswith("/api/inbox/"):
            made["event_id"] = owner.register("dora").thread(community=community)["id"]
            deliver()
    return made


def target_of(operation: Operation) -> str:
    """The path of an operation with the query that it requires: a template for ids and names."""
    required = f"?{urlencode(operation.example)}" if operation.needs_query else ""
    return operation.path + QUERIES.get(operation.name, required)


def path_of(operation: Operation, owner: Agent, post: dict[str, Any]) -> str:
    """The target of an operation on an agent's thread, or on the object that `belongings` created for it."""
    of_subscriptions = operation.path.startswith("/api/subscriptions/")
    return target_of(operation).format(
        id=post.get("subscription_id", ANY_ID) if of_subscriptions else post["id"],
        event_id=post.get("event_id", ANY_ID),
        name=owner.name,
        slug="general",
        **TILES,
    )


def body_of(operation: Operation, post: dict[str, Any] | None = None) -> Any:
    if operation.body is None:
        return None
    if operation.name == "acknowledge_events" and post and "event_id" in post:
        return {"ids": [post["event_id"]]}
    return BODIES[operation.name]() if operation.name in BODIES else dict(operation.example)


def call(web: Web, operation: Operation, owner: Agent, post: dict[str, Any], **more: Any) -> Answer:
    """Make the call with the client `web`."""
    return web.call(operation.method, path_of(operation, owner, post), body_of(operation, post), **more)

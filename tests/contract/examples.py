"""One valid call of every operation, for tests that run over OPERATIONS.

A new operation needs an entry here if it has a body, or a path that these examples do not cover.
"""

import secrets
from collections.abc import Callable
from typing import Any

from services.contract.operations import Operation
from tests.web import Agent, Answer, Web

BODIES: dict[str, Any] = {
    "register_agent": lambda: {"name": f"dora-{secrets.token_hex(5)}"},
    "update_me": lambda: {"bio": secrets.token_hex(5)},
    "rotate_token": dict,
    "create_thread": lambda: {"title": "t", "body": "b"},
    "create_reply": lambda: {"body": "b"},
    "cast_vote": lambda: {"value": 1},
    "create_subscription": lambda: {"kind": "community", "target": secrets.token_hex(5)},
    "pause_subscription": dict,
    "resume_subscription": dict,
    "acknowledge_event": dict,
    "acknowledge_events": lambda: {"up_to": 9007199254740991},
}
# the queries that reads require
QUERIES = {"list_posts": "?ids={id}"}
# used where no object was created: the call is refused before the object is looked up
ANY_ID = 1


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
    return operation.path + QUERIES.get(operation.name, "")


def path_of(operation: Operation, owner: Agent, post: dict[str, Any]) -> str:
    """The target of an operation on an agent's thread, or on the object that `belongings` created for it."""
    of_subscriptions = operation.path.startswith("/api/subscriptions/")
    return target_of(operation).format(
        id=post.get("subscription_id", ANY_ID) if of_subscriptions else post["id"],
        event_id=post.get("event_id", ANY_ID),
        name=owner.name,
        slug="general",
    )


def body_of(operation: Operation, post: dict[str, Any] | None = None) -> Any:
    assert (operation.body is not None) == (operation.name in BODIES), f"{operation.name} needs an example body"
    if operation.name == "acknowledge_events" and post and "event_id" in post:
        return {"ids": [post["event_id"]]}
    return BODIES[operation.name]() if operation.name in BODIES else None


def call(web: Web, operation: Operation, owner: Agent, post: dict[str, Any], **more: Any) -> Answer:
    """Make the call with the client `web`."""
    return web.call(operation.method, path_of(operation, owner, post), body_of(operation, post), **more)

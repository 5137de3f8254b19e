"""One call of every operation that works, for tests that run over OPERATIONS.

A new operation needs a line here when it has a body or a path that these do not serve.
"""

import secrets
from typing import Any

from services.board.contract.operations import Operation
from tests.web import Agent, Answer, Web

BODIES: dict[str, Any] = {
    "register_agent": lambda: {"name": f"dora-{secrets.token_hex(5)}"},
    "update_me": lambda: {"bio": secrets.token_hex(5)},
    "rotate_token": dict,
    "create_thread": lambda: {"title": "t", "body": "b"},
    "create_reply": lambda: {"body": "b"},
    "cast_vote": lambda: {"value": 1},
}


def path_of(operation: Operation, owner: Agent, post: dict[str, Any]) -> str:
    """The path of an operation on a thread of an agent's."""
    return operation.path.format(id=post["id"], name=owner.name)


def body_of(operation: Operation) -> Any:
    assert (operation.body is not None) == (operation.name in BODIES), f"{operation.name} needs an example body"
    return BODIES[operation.name]() if operation.name in BODIES else None


def call(web: Web, operation: Operation, owner: Agent, post: dict[str, Any], **more: Any) -> Answer:
    """Make the call as `web`."""
    return web.call(operation.method, path_of(operation, owner, post), body_of(operation), **more)

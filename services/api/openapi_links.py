"""Where the answer of an operation leads, as OpenAPI links: the calls that take what was created, and its id."""

from typing import Any

from services.board.contract.operations import NAMED

OWN_ID = {"id": "$response.body#/id"}
THREAD_ID = {"id": "$response.body#/parent"}

FOLLOW_UPS: dict[str, dict[str, dict[str, str]]] = {
    "register_agent": {"read_agent": {"name": "$response.body#/name"}},
    "create_thread": dict.fromkeys(("read_thread", "create_reply", "cast_vote", "read_receipt"), OWN_ID),
    "create_subscription": dict.fromkeys(("pause_subscription", "resume_subscription", "delete_subscription"), OWN_ID),
    "create_reply": {"read_thread": THREAD_ID, "cast_vote": OWN_ID, "read_receipt": OWN_ID},
}


def links_of(name: str) -> dict[str, Any]:
    """The `links` member of the successful answer of an operation; empty when it leads nowhere."""
    found = {
        NAMED[target].operation_id: {"operationId": NAMED[target].operation_id, "parameters": parameters}
        for target, parameters in FOLLOW_UPS.get(name, {}).items()
    }
    return {"links": found} if found else {}

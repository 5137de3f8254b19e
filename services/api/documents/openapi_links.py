"""OpenAPI links: the calls that can follow an operation, with the ids and names that its response provides."""

from typing import Any, Final

from services.contract.operations import NAMED

OWN_ID: Final = {"id": "$response.body#/id"}
THREAD_ID: Final = {"id": "$response.body#/parent"}

FOLLOW_UPS: dict[str, dict[str, dict[str, str]]] = {
    "register_agent": {"read_agent": {"name": "$response.body#/name"}},
    "create_thread": dict.fromkeys(("read_thread", "create_reply", "cast_vote", "read_receipt"), OWN_ID),
    "create_subscription": dict.fromkeys(("pause_subscription", "resume_subscription", "delete_subscription"), OWN_ID),
    "create_reply": {"read_thread": THREAD_ID, "read_post": OWN_ID, "cast_vote": OWN_ID, "read_receipt": OWN_ID},
}


def links_of(name: str) -> dict[str, Any]:
    """Return the `links` member of an operation's successful response; empty if there are none."""
    found = {
        NAMED[target].operation_id: {"operationId": NAMED[target].operation_id, "parameters": parameters}
        for target, parameters in FOLLOW_UPS.get(name, {}).items()
    }
    return {"links": found} if found else {}

"""Hooks for schemathesis: who calls, and where a check cannot know what the contract says."""

import itertools
import secrets
from typing import Any, TypeAlias

import requests
import schemathesis
from schemathesis.core.failures import Failure

# a well-formed call may be refused for what is on the board already
STATES = ("name_taken", "invalid_reply_to", "idempotency_key_reused")

AnyCase: TypeAlias = schemathesis.Case[Any]
numbers = itertools.count(1)
session = requests.Session()


@schemathesis.auth(refresh_interval=None)
class Newcomer(schemathesis.AuthProvider[str]):
    """Every call comes from an agent of its own: neither the limit on posts nor a rotated token is in its way."""

    def get(self, case: AnyCase, context: schemathesis.AuthContext) -> str:
        name = f"visitor-{next(numbers)}-{secrets.token_hex(4)}"
        url = case.operation.schema.get_base_url().rstrip("/") + "/api/agents/register"
        answer = session.post(url, json={"name": name}, timeout=30)
        answer.raise_for_status()
        return str(answer.json()["token"])

    def set(self, case: AnyCase, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: AnyCase, kwargs: dict[str, Any]) -> None:
    """Put right what would make another call of it.

    The path of an agent by the name of `me` or `register` is another route; no agent can have these names (decisions
    1.0). A number in a query is written without an exponent.
    """
    path, query = case.path_parameters or {}, case.query or {}
    if str(path.get("name")).lower() in ("me", "register"):
        path["name"] = "nobody"
    if isinstance(query.get("as_of"), float):
        query["as_of"] = round(query["as_of"], 3)


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext, failure: Failure, case: AnyCase, response: schemathesis.Response
) -> bool:
    """Whether a failure counts."""
    match type(failure).__name__:
        case "RejectedPositiveData":
            return response.status_code != 400 or not (
                response.json()["code"] in STATES or is_about_target(case, response)
            )
        case "AcceptedNegativeData":
            return not is_trimmed(case.body)
    return True


def is_about_target(case: AnyCase, response: schemathesis.Response) -> bool:
    """Whether a target does not fit its kind, which the description can say in words alone (decisions 1.11)."""
    problem = response.json()
    return case.operation.path == "/api/subscriptions" and {error["field"] for error in problem["errors"]} == {"target"}


def is_trimmed(body: Any) -> bool:
    """Whether a tag is too long only by the spaces around it, which are taken off first (decisions 1.0)."""
    if not isinstance(body, dict):
        return False
    tags = [tag for name in ("capabilities", "wanted_capabilities") for tag in body.get(name) or []]
    return any(len(tag) > 40 >= len(tag.strip()) for tag in tags if isinstance(tag, str))

"""Hooks for schemathesis: the caller of each call, and exceptions where a check cannot know the contract."""

import itertools
import json
import secrets
from typing import Any, TypeAlias

import requests
import schemathesis
from schemathesis.core.failures import Failure

# a well-formed call may be refused because of the board's current contents
STATES = ("name_taken", "invalid_reply_to", "idempotency_key_reused")
# the fields that have a name or a slug
NAMED = ("name", "author", "community", "target")

AnyCase: TypeAlias = schemathesis.Case[Any]
numbers = itertools.count(1)
session = requests.Session()


@schemathesis.auth(refresh_interval=None)
class Newcomer(schemathesis.AuthProvider[str]):
    """Give every call an agent of its own, so that neither the limit on posts nor a rotated token refuses it."""

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
    """Correct values that would turn the request into a different call.

    The path of an agent named `me` or `register` is another route; no agent can have these names (interface 2.3).
    """
    path = case.path_parameters or {}
    if str(path.get("name")).lower() in ("me", "register"):
        path["name"] = "nobody"


@schemathesis.hook
def filter_failure(
    context: schemathesis.HookContext, failure: Failure, case: AnyCase, response: schemathesis.Response
) -> bool:
    """Return whether a failure counts."""
    match type(failure).__name__:
        case "RejectedPositiveData":
            return response.status_code != 400 or not (
                response.json()["code"] in STATES
                or is_unseen(case, response)
                or has_odd_letters(case, response)
                or depends_on_others(response)
            )
        case "EnsureResourceAvailability":
            # subscriptions are private, and every call comes from another caller
            return not case.operation.path.startswith("/api/subscriptions/")
        case "AcceptedNegativeData":
            return not is_trimmed(case.body) and not has_null(case.body)
    return True


def is_unseen(case: AnyCase, response: schemathesis.Response) -> bool:
    """Whether a text shows nothing because of characters beyond U+FFFF, which no pattern can name (interface 2.2)."""
    errors = {error["code"] for error in response.json()["errors"]}
    sent = json.dumps([case.body, case.query], ensure_ascii=False, default=str)
    return errors == {"blank"} and max(sent) > "\uffff"


def has_odd_letters(case: AnyCase, response: schemathesis.Response) -> bool:
    """Whether only names or slugs beyond ASCII are refused: no pattern names all letters of theirs (interface 2.3)."""
    body = case.body if isinstance(case.body, dict) else {}
    sent = {**(case.query or {}), **body}
    return all(
        error["code"] == "bad_format" and error["field"] in NAMED and not str(sent.get(error["field"])).isascii()
        for error in response.json()["errors"] or [{"code": None}]
    )


def depends_on_others(response: schemathesis.Response) -> bool:
    """Whether a parameter may not accompany another: a position of another order (9.5), the thread of a feed (12.4)."""
    errors = {(error["field"], error["code"]) for error in response.json()["errors"]}
    return bool(errors) and errors <= {(name, "not_allowed_value") for name in ("offset", "cursor", "around", "thread")}


def has_null(body: Any) -> bool:
    """Whether one of two fields that exclude each other was sent as null, which is as if it was not (interface 2.4)."""
    return isinstance(body, dict) and {"up_to", "ids"} == body.keys() and None in body.values()


def is_trimmed(body: Any) -> bool:
    """Whether a tag is too long only because of surrounding spaces, which the board removes first (interface 2.3)."""
    if not isinstance(body, dict):
        return False
    tags = [tag for name in ("capabilities", "wanted_capabilities") for tag in body.get(name) or []]
    tags += [body.get("target")] if body.get("kind") == "capability" else []
    return any(len(tag) > 40 >= len(tag.strip()) for tag in tags if isinstance(tag, str))

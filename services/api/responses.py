"""Answers: the one place where results and errors become status, headers and bytes (decisions 1.1, 1.13, 2.7)."""

import math
import re
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from services.board import errors
from services.board.changes import Change, Usage
from services.board.contract.effects import NONE
from services.board.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.board.contract.operations import JSON, NO_STORE, Operation
from services.board.contract.problems import PROBLEMS, Kind
from services.board.contract.schemas import Health, Problem, SearchResult
from services.board.links import Links

from .etags import etag, matches
from .parsing import BodyTooLarge, UnsupportedMediaType
from .request_id import ulid

PROBLEM_JSON = "application/problem+json"
VARY = "Authorization, Accept-Encoding"
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Agent-Effect, X-Request-Id"
REALM = 'Bearer realm="agent-board"'
PREFLIGHT_SECONDS = 86400

encode = msgspec.json.Encoder().encode


class MethodNotAllowed(errors.BoardError):
    """This method is not allowed here."""

    def __init__(self, allowed: str) -> None:
        super().__init__(f"This method is not allowed here; allowed are {allowed}.")
        self.allowed = allowed


class InternalError(errors.BoardError):
    """Something went wrong inside the board; it was recorded under the request_id."""


@dataclass(slots=True)
class Answer:
    """What goes on the wire; `head` is ready when the answer is served again (services/api/wire.py)."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    media_type: str = JSON
    request_id: str = ""
    head: bytes = b""


KINDS: dict[type[errors.BoardError], str] = {
    errors.InvalidJSON: "invalid_json",
    errors.Invalid: "validation_failed",
    errors.InvalidReplyTo: "invalid_reply_to",
    errors.SecretDetected: "secret_detected",
    errors.CredentialInURL: "credential_in_url",
    errors.InvalidIdempotencyKey: "invalid_idempotency_key",
    errors.NameTaken: "name_taken",
    errors.KeyReused: "idempotency_key_reused",
    errors.MissingToken: "missing_token",
    errors.InvalidToken: "invalid_token",
    errors.RevokedToken: "revoked_token",
    errors.NotFound: "not_found",
    MethodNotAllowed: "method_not_allowed",
    BodyTooLarge: "body_too_large",
    UnsupportedMediaType: "unsupported_media_type",
    errors.Limited: "rate_limited",
    errors.Unavailable: "unavailable",
    errors.OutcomeUnknown: "unavailable",
    errors.ReceiptMismatch: "internal_error",
    InternalError: "internal_error",
}


def success(operation: Operation, result: Any, query: Struct | None, links: Links) -> Answer:
    """The answer to a call that worked."""
    change = result if isinstance(result, Change) else None
    value = result if change is None else change.result
    body = value if isinstance(value, bytes) else encode(value)
    headers = {
        "Agent-Effect": operation.effect.header(change.applied if change else None),
        "Cache-Control": operation.cache,
    }
    answer = Answer(operation.status, body, headers, operation.media_type)
    if change is not None:
        headers.update(change_headers(operation, change, links))
        if operation.existing and not change.applied:
            answer.status = operation.existing
        return answer
    if isinstance(value, Health) and value.status == "down":
        answer.status = 503
        headers["Retry-After"] = "1"
        return answer
    headers["ETag"] = etag(operation, value, body)
    headers["Vary"] = VARY
    if query is not None and getattr(value, "has_more", False) and not isinstance(value, SearchResult):
        headers["Link"] = f'<{next_page(operation, value, query, links)}>; rel="next"'
    return answer


def add_cors(answer: Answer) -> None:
    """Let pages of other sites read an answer."""
    answer.headers["Access-Control-Allow-Origin"] = "*"
    answer.headers["Access-Control-Expose-Headers"] = EXPOSED


def not_modified(answer: Answer) -> Answer:
    """What is said instead to a caller who has this answer already."""
    headers = {name: value for name, value in answer.headers.items() if name != "Link"}
    return Answer(304, headers=headers)


def has_already(answer: Answer, if_none_match: list[str]) -> bool:
    """Whether the caller has this answer already."""
    return bool(if_none_match) and "ETag" in answer.headers and matches(if_none_match, answer.headers["ETag"])


def change_headers(operation: Operation, change: Change[Any], links: Links) -> dict[str, str]:
    """What is said of a write: where its result is, whether it was there already, what is left of the limit."""
    headers = limit_headers(change.usage) if change.usage else {}
    if change.replayed:
        headers["Idempotent-Replayed"] = "true"
    if operation.location:
        headers["Location"] = links.to(created_path(operation.location, change.result))
    return headers


def created_path(template: str, created: Struct) -> str:
    names = re.findall(r"{(\w+)}", template)
    return template.format(**{name: quote(str(getattr(created, name))) for name in names})


def next_page(operation: Operation, page: Any, query: Struct, links: Links) -> str:
    """The URL of the next page (RFC 8288)."""
    wanted = {k: v for k, v in msgspec.structs.asdict(query).items() if v is not None}
    if hasattr(page, "next_after"):
        wanted["after"] = page.next_after
    else:
        wanted["offset"] = page.next_offset
    if hasattr(page, "as_of"):
        wanted["as_of"] = page.as_of
    path = operation.path.format(id=page.thread.id) if hasattr(page, "thread") else operation.path
    return f"{links.to(path)}?{urlencode(wanted)}"


def options(allowed: str, readable: bool) -> Answer:
    """The answer to OPTIONS, also to a browser that asks before it calls.

    Pages of other sites may read what is public (`readable`), and may not write.
    """
    headers = {"Agent-Effect": NONE.header(None), "Allow": allowed, "Cache-Control": NO_STORE}
    if readable:
        headers["Access-Control-Allow-Methods"] = "GET, HEAD"
        headers["Access-Control-Allow-Headers"] = "Authorization, If-None-Match"
        headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return Answer(200, headers=headers)


def failure(error: errors.BoardError, operation: Operation, request_id: int, links: Links) -> Answer:
    """The problem body of an error, under the effect of the route it was sent to."""
    kind = PROBLEMS[KINDS[type(error)]]
    problem = problem_from(error, kind, ulid(request_id), links)
    applied = None if isinstance(error, errors.OutcomeUnknown) else False
    headers = {"Agent-Effect": operation.effect.header(applied), "Cache-Control": NO_STORE}
    answer = Answer(kind.status, encode(problem), headers, PROBLEM_JSON)
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if error.usage is not None:
        headers.update(limit_headers(error.usage))
    if kind.status == 401:
        headers["WWW-Authenticate"] = REALM + ("" if kind.code == "missing_token" else ', error="invalid_token"')
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = error.allowed
    if kind.status == 415:
        headers["Accept"] = ", ".join(operation.media_types)
    return answer


def problem_from(error: errors.BoardError, kind: Kind, request_id: str, links: Links) -> Problem:
    listed = error.errors if isinstance(error, errors.Invalid) else []
    docs = links.to("/communication.md")
    anchor = listed[0].code if listed else kind.code
    return Problem(
        type=f"{docs}#{anchor}",
        title=PROBLEMS[anchor].title,
        status=kind.status,
        detail=str(error),
        instance=f"urn:request:{request_id}",
        code=kind.code,
        error=str(error),
        hint=getattr(error, "hint", None) or PROBLEMS[anchor].hint,
        errors=listed,
        retry_after=retry_after(error),
        request_id=request_id,
        docs=docs,
        violated_policies=[error.limit.name] if isinstance(error, errors.Limited) else msgspec.UNSET,
    )


def retry_after(error: errors.BoardError) -> int | None:
    """Seconds to wait: for a limit at least 60, and up to 15 more by agent, so that they do not come back together."""
    if isinstance(error, errors.Limited):
        jitter = error.agent_id * 2654435761 % 2**32 % (RETRY_AFTER_JITTER + 1)
        return max(RETRY_AFTER_MIN, math.ceil(error.wait)) + jitter
    if isinstance(error, errors.Unavailable):
        return error.retry_after
    return 5 if isinstance(error, errors.OutcomeUnknown) else None


def limit_headers(usage: Usage) -> dict[str, str]:
    """RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11) and their older cousins."""
    limit = usage.limit
    return {
        "RateLimit-Policy": f'"{limit.name}";q={limit.quota};w={limit.window}',
        "RateLimit": f'"{limit.name}";r={usage.left};t={math.ceil(usage.wait)}',
        "X-RateLimit-Limit": str(limit.quota),
        "X-RateLimit-Remaining": str(usage.left),
        "X-RateLimit-Reset": str(math.ceil(time.time() + usage.wait)),
    }

"""Answers: the one place where results and errors become status, headers and bytes (decisions 1.1, 1.13, 2.7)."""

import hashlib
import re
import uuid
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Struct

from services.board import errors
from services.board.changes import Change
from services.board.contract.effects import NONE
from services.board.contract.limits import RETRY_AFTER_JITTER, RETRY_AFTER_MIN
from services.board.contract.operations import NO_STORE, Operation
from services.board.contract.problems import PROBLEMS, Kind
from services.board.contract.schemas import Health, Problem, Receipt
from services.board.links import Links

from .parsing import BodyTooLarge, UnsupportedMediaType
from .request_id import ulid

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
VARY = "Authorization, Accept-Encoding"
EXPOSED = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Agent-Effect, X-Request-Id"
REALM = 'Bearer realm="agent-board"'

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
    """What goes on the wire."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    media_type: str = JSON


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


def success(operation: Operation, result: Any, query: Struct | None, if_none_match: list[str], links: Links) -> Answer:
    """The answer to a call that worked, or 304 when the caller has it already."""
    change = result if isinstance(result, Change) else None
    value = result if change is None else change.result
    body = value if isinstance(value, bytes) else encode(value)
    answer = Answer(
        operation.status, body, {"Agent-Effect": operation.effect.header(change.applied if change else None)}
    )
    answer.headers["Cache-Control"] = operation.cache
    if change is None:
        if isinstance(value, Health) and value.status == "down":
            answer.status = 503
            answer.headers["Retry-After"] = "1"
        add_validator(answer, etag(operation, value, body), if_none_match)
    elif change.replayed:
        answer.headers["Idempotent-Replayed"] = "true"
    if operation.location:
        answer.headers["Location"] = links.to(created_path(operation.location, value))
    if getattr(value, "has_more", False) and query is not None:
        answer.headers["Link"] = f'<{next_page(operation, value, query, links)}>; rel="next"'
    return answer


def created_path(template: str, created: Struct) -> str:
    names = re.findall(r"{(\w+)}", template)
    return template.format(**{name: quote(str(getattr(created, name))) for name in names})


def next_page(operation: Operation, page: Any, query: Struct, links: Links) -> str:
    """The URL of the next page (RFC 8288)."""
    wanted = {k: v for k, v in msgspec.structs.asdict(query).items() if v is not None}
    wanted["offset"] = page.next_offset
    if hasattr(page, "as_of"):
        wanted["as_of"] = page.as_of
    path = operation.path.format(id=page.thread.id) if hasattr(page, "thread") else operation.path
    return f"{links.to(path)}?{urlencode(wanted)}"


def add_validator(answer: Answer, tag: str | None, if_none_match: list[str]) -> None:
    """Add ETag and Vary, and make a 200 a 304 when a tag matches (RFC 9110 13.1.2)."""
    if tag is not None and answer.status == 200:
        answer.headers["ETag"] = tag
        answer.headers["Vary"] = VARY
        if if_none_match and matches(if_none_match, tag):
            answer.status, answer.body = 304, b""


def etag(operation: Operation, value: Any, body: bytes) -> str | None:
    """A weak tag of the body, without the last field when that differs from call to call; a receipt's is its digest."""
    if isinstance(value, Receipt):
        return f'"{value.sha256}"'
    if operation.untagged:
        body = body[: body.rindex(f',"{operation.untagged}":'.encode())]
    return f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'


def matches(if_none_match: list[str], tag: str) -> bool:
    """Weak comparison with any of the caller's tags."""
    opaque = tag.removeprefix("W/")
    return any(
        candidate.strip() == "*" or candidate.strip().removeprefix("W/") == opaque
        for value in if_none_match
        for candidate in value.split(",")
    )


def options(allowed: str) -> Answer:
    """The answer to OPTIONS, also to a browser that asks before it reads; pages of other sites may not write."""
    headers = {"Agent-Effect": NONE.header(None), "Allow": allowed, "Cache-Control": NO_STORE}
    if "GET" in allowed:
        headers["Access-Control-Allow-Methods"] = "GET, HEAD"
        headers["Access-Control-Allow-Headers"] = "Authorization, If-None-Match"
    return Answer(200, headers=headers)


def failure(error: errors.BoardError, operation: Operation, request_id: uuid.UUID, links: Links) -> Answer:
    """The problem body of an error, under the effect of the route it was sent to."""
    kind = PROBLEMS[KINDS[type(error)]]
    problem = problem_from(error, kind, ulid(request_id), links)
    applied = None if isinstance(error, errors.OutcomeUnknown) else False
    headers = {"Agent-Effect": operation.effect.header(applied), "Cache-Control": NO_STORE}
    answer = Answer(kind.status, encode(problem), headers, PROBLEM_JSON)
    if problem.retry_after is not None:
        headers["Retry-After"] = str(problem.retry_after)
    if isinstance(error, errors.Limited):
        headers.update(limit_headers(error))
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
        return max(RETRY_AFTER_MIN, int(error.wait) + 1) + jitter
    if isinstance(error, errors.Unavailable):
        return error.retry_after
    return 5 if isinstance(error, errors.OutcomeUnknown) else None


def limit_headers(error: errors.Limited) -> dict[str, str]:
    """RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11) and their older cousins."""
    reset = int(error.wait) + 1
    return {
        "RateLimit-Policy": f'"{error.limit.name}";q={error.limit.quota};w={error.limit.window}',
        "RateLimit": f'"{error.limit.name}";r=0;t={reset}',
        "X-RateLimit-Limit": str(error.limit.quota),
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": str(int(error.now) + reset),
    }

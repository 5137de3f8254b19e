"""Answers to calls that succeed: their status, headers and bytes (interface 2.5, 2.6, 5.1)."""

import math
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final
from urllib.parse import quote

import msgspec
from msgspec import Struct

from services.board.links import Links
from services.board.posts.excerpts import cut_bodies
from services.board.results import Usage, WriteResult
from services.contract.answers.overview import Health
from services.contract.answers.problems import IgnoredParameter
from services.contract.bounds import IGNORED_NAME_SHOWN, IGNORED_SHOWN
from services.contract.effects import NONE
from services.contract.media_types import JSON, PROBLEM_JSON
from services.contract.operation import NO_STORE, Operation
from services.contract.operations import NAMED
from services.contract.route_hints import nearest_parameter

from .etags import etag, matches
from .next_pages import has_next_page, next_page

VARY: Final = "Authorization, Accept-Encoding"
EXPOSED: Final = "ETag, Link, Retry-After, RateLimit, RateLimit-Policy, Agent-Effect, Ignored-Parameters, X-Request-Id"
IGNORED: Final = "Ignored-Parameters"
# Where a program goes from a page that people also read (RFC 8288, RFC 8631).
ENTRANCES: Final = {
    "read_skill": "service-doc",
    "read_llms": "service-meta",
    "read_openapi": "service-desc",
    "read_feed": "alternate",
}
PREFLIGHT_SECONDS: Final = 86400
ENCODER: Final = msgspec.json.Encoder()
Lines = tuple[tuple[bytes, bytes], ...]


@dataclass(slots=True)
class Answer:
    """One answer. All readers of a `cached` one share its headers, so they never change.

    `lines` are the headers as they are sent, if they were encoded before.
    """

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    media_type: str = JSON
    request_id: str = ""
    cached: bool = False
    lines: Lines = ()

    def copy(self) -> "Answer":
        """Return the answer for another call, without its request id."""
        return Answer(self.status, self.body, self.headers, self.media_type, cached=self.cached, lines=self.lines)


def encode(value: Any) -> bytes:
    """Return a value as JSON that ends with a newline, so that a terminal shows whole lines."""
    return ENCODER.encode(value) + b"\n"


def success(operation: Operation, result: Any, query: Struct | None, links: Links) -> Answer:
    """Return the answer to a successful call."""
    change = result if isinstance(result, WriteResult) else None
    value = result if change is None else change.result
    if (length := getattr(query, "body", None)) is not None:
        cut_bodies(value, length)
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
    elif isinstance(value, Health) and value.status == "down":
        answer.status = 503
        headers["Retry-After"] = "1"
    else:
        headers.update(read_headers(operation, value, body, query, links))
    return answer


def read_headers(operation: Operation, value: Any, body: bytes, query: Struct | None, links: Links) -> dict[str, str]:
    """Return the headers by which readers repeat a read, and find what belongs to it."""
    headers: dict[str, str] = {}
    headers["ETag"] = etag(operation, body)
    headers["Vary"] = VARY
    if operation.otherwise is not None:
        headers["Vary"] = f"{VARY}, Accept"
        headers["Link"] = entrances(links)
    if query is not None and has_next_page(value, query):
        headers["Link"] = f'<{next_page(operation, value, query, links)}>; rel="next"'
    return headers


def add_cors(answer: Answer) -> None:
    """Let pages of other sites read the answer."""
    answer.headers["Access-Control-Allow-Origin"] = "*"
    answer.headers["Access-Control-Expose-Headers"] = EXPOSED


def add_ignored(answer: Answer, operation: Operation, names: Sequence[str]) -> None:
    """Name the query parameters that had no effect, in a header and in the body (interface 2.4).

    The headers of a cached answer belong to all its readers, so this answer gets its own.
    """
    found = [shown(name) for name in names[:IGNORED_SHOWN]]
    value = ", ".join(f'"{name}"' for name in found)
    answer.headers, answer.lines = answer.headers | {IGNORED: value}, ()
    if answer.body and answer.media_type in (JSON, PROBLEM_JSON) and not operation.document:
        known = operation.query.__struct_fields__ if operation.query is not None else ()
        ignored = [IgnoredParameter(name, nearest_parameter(name, known)) for name in found]
        answer.body = answer.body.removesuffix(b"}\n") + b"," + encode({"ignored_parameters": ignored})[1:]


def shown(name: str) -> str:
    """Percent-encode a caller's text, so that it cannot end a header or a string, and cut it between characters."""
    text = ""
    for character in name:
        encoded = quote(character, safe="")
        if len(text) + len(encoded) > IGNORED_NAME_SHOWN:
            break
        text += encoded
    return text


def not_modified(answer: Answer) -> Answer:
    """Return the 304 that replaces an answer for a client that already has it."""
    headers = {name: value for name, value in answer.headers.items() if name != "Link"}
    return Answer(304, headers=headers, media_type=answer.media_type)


def has_already(answer: Answer, if_none_match: list[str]) -> bool:
    """Whether `If-None-Match` shows that the client already has this answer."""
    return bool(if_none_match) and "ETag" in answer.headers and matches(if_none_match, answer.headers["ETag"])


def unless_known(answer: Answer, if_none_match: list[str]) -> Answer:
    """Return an answer, or its 304 if the client already has it."""
    return not_modified(answer) if has_already(answer, if_none_match) else answer


def see_other(operation: Operation, url: str) -> Answer:
    """Return the answer that sends a client to the address of what it asked for."""
    headers = {"Agent-Effect": operation.effect.header(None), "Cache-Control": NO_STORE, "Location": url}
    return Answer(303, headers=headers)


def entrances(links: Links) -> str:
    """Return the `Link` header that leads programs to the documents for them."""
    found = ((NAMED[name], relation) for name, relation in ENTRANCES.items())
    return ", ".join(
        f'<{links.to(one.path)}>; rel="{rel}"; type="{one.media_type.split(";")[0]}"' for one, rel in found
    )


def change_headers(operation: Operation, change: WriteResult[Any], links: Links) -> dict[str, str]:
    """Return the headers of a write: the location of its result, whether it is a replay, and the state of the limit."""
    headers = limit_headers(change.usage) if change.usage else {}
    if change.replayed:
        headers["Idempotent-Replayed"] = "true"
    if operation.location:
        headers["Location"] = links.to(created_path(operation.location, change.result))
    return headers


def created_path(template: str, created: Struct) -> str:
    for name in names_in(template):
        template = template.replace(f"{{{name}}}", quote(str(getattr(created, name))))
    return template


@cache
def names_in(template: str) -> list[str]:
    return re.findall(r"{(\w+)}", template)


def options(allowed: str, readable: bool) -> Answer:
    """Return the answer to OPTIONS, including a browser's CORS preflight.

    Pages of other sites may read public paths (`readable`), but never write.
    """
    headers = {"Agent-Effect": NONE.header(None), "Allow": allowed, "Cache-Control": NO_STORE}
    if readable:
        headers["Access-Control-Allow-Methods"] = "GET, HEAD"
        headers["Access-Control-Allow-Headers"] = "Authorization, If-None-Match"
        headers["Access-Control-Max-Age"] = str(PREFLIGHT_SECONDS)
    return Answer(200, headers=headers)


def limit_headers(usage: Usage) -> dict[str, str]:
    """Return the RateLimit fields (draft-ietf-httpapi-ratelimit-headers-11) and the older X-RateLimit ones."""
    limit = usage.limit
    return {
        "RateLimit-Policy": f'"{limit.name}";q={limit.quota};w={limit.window}',
        "RateLimit": f'"{limit.name}";r={usage.left};t={math.ceil(usage.wait)}',
        "X-RateLimit-Limit": str(limit.quota),
        "X-RateLimit-Remaining": str(usage.left),
        "X-RateLimit-Reset": str(math.ceil(time.time() + usage.wait)),
    }

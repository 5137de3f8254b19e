"""The check that the tests apply to every answer is strict: anything outside the description fails."""

import json
from http.client import HTTPMessage
from typing import Any

import pytest

from services.contract.examples import examples
from tests.cases import for_each
from tests.contract.answers import check_against_description

RECORDED = examples("http://127.0.0.1")
THREAD, REPLY = RECORDED["create_thread"].answer, RECORDED["create_reply"].answer
PROBLEM: dict[str, Any] = {
    "type": "t", "title": "t", "status": 400, "detail": "d", "instance": "i", "code": "c", "error": "e", "hint": "h",
    "errors": [], "retry_after": None, "request_id": "r", "docs": "d",
}  # fmt: skip
GET = {"Agent-Effect": "none", "ETag": 'W/"x"'}
POST = {"Agent-Effect": "post-public", "Location": "/api/threads/1"}
REFUSED = {"Agent-Effect": "none"}
JSON, PROBLEM_JSON = "application/json", "application/problem+json"


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def page(**changed: Any) -> dict[str, Any]:
    """A page with one thread, altered by a change."""
    return {"items": [{**THREAD, **changed}], "has_more": False, "next_offset": 1, "as_of": 1.5}


def read(**changed: Any) -> dict[str, Any]:
    """A thread with one reply, altered by a change."""
    return {"thread": THREAD, "replies": [{**REPLY, **changed}], "has_more": False, "next_offset": 1}


def check(method: str, target: str, status: int, headers: dict[str, str], media_type: str | None, body: Any) -> None:
    message = HTTPMessage()
    for name, value in headers.items():
        message[name] = value
    if media_type is not None:
        message["Content-Type"] = media_type
    content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    check_against_description(method, target, status, message, content)


RIGHT = {
    "a page": ("GET", "/api/threads?limit=1", 200, GET, JSON, page()),
    "a thread": ("GET", "/api/threads/1", 200, GET, JSON, read()),
    "HEAD": ("HEAD", "/api/threads", 200, GET, JSON, None),
    "unchanged": ("GET", "/api/threads", 304, GET, None, None),
    "a created thread": ("POST", "/api/threads", 201, POST, JSON, THREAD),
    "a refusal": ("GET", "/api/threads", 400, REFUSED, PROBLEM_JSON, PROBLEM),
    "a limit": ("POST", "/api/threads", 429, {**REFUSED, "Retry-After": "60"}, PROBLEM_JSON, PROBLEM),
    "nowhere": ("GET", "/nowhere", 404, REFUSED, PROBLEM_JSON, PROBLEM),
    "options": ("OPTIONS", "/api/threads", 200, REFUSED, None, None),
}
WRONG = {
    "one more field": ("GET", "/api/threads", 200, GET, JSON, {**page(), "x": 1}),
    "one more in one of two kinds": ("GET", "/api/activity", 200, GET, JSON,
                                     {"items": [{**REPLY, "x": 1}], "has_more": False, "next_after": 2}),
    "one less in a record": ("GET", "/api/threads/1", 200, GET, JSON, {**read(), "replies": [without(REPLY, "kind")]}),
    "another kind": ("GET", "/api/threads/1", 200, GET, JSON, read(kind="thread")),
    "a fraction for an integer": ("GET", "/api/threads", 200, GET, JSON, page(score=1.5)),
    "null for a string": ("GET", "/api/threads", 200, GET, JSON, page(title=None)),
    "another media type": ("GET", "/api/threads", 200, GET, "text/html", page()),
    "no body": ("GET", "/api/threads", 200, GET, JSON, None),
    "HEAD with a body": ("HEAD", "/api/threads", 200, GET, JSON, page()),
    "304 with a body": ("GET", "/api/threads", 304, GET, JSON, page()),
    "another status": ("GET", "/api/threads", 201, GET, JSON, page()),
    "200 for 201": ("POST", "/api/threads", 200, POST, JSON, THREAD),
    "no effect": ("GET", "/api/threads", 200, without(GET, "Agent-Effect"), JSON, page()),
    "no tag": ("GET", "/api/threads", 200, without(GET, "ETag"), JSON, page()),
    "no location": ("POST", "/api/threads", 201, without(POST, "Location"), JSON, THREAD),
    "a date to wait for": ("POST", "/api/threads", 429, {**REFUSED, "Retry-After": "Fri, 10 Oct 2025 08:53:20 GMT"},
                           PROBLEM_JSON, PROBLEM),
    "one more member": ("GET", "/api/threads", 400, REFUSED, PROBLEM_JSON, {**PROBLEM, "stack": "x"}),
    "a good answer nowhere": ("GET", "/nowhere", 200, GET, JSON, {}),
    "another problem nowhere": ("GET", "/nowhere", 404, REFUSED, PROBLEM_JSON, {}),
    "options with a body": ("OPTIONS", "/api/threads", 200, REFUSED, JSON, {}),
}  # fmt: skip


@for_each("answer", RIGHT.values(), ids=RIGHT.keys())
def test_what_the_description_has_passes(answer: Any) -> None:
    check(*answer)


@for_each("answer", WRONG.values(), ids=WRONG.keys())
def test_what_it_does_not_have_fails(answer: Any) -> None:
    with pytest.raises((AssertionError, ValueError)):
        check(*answer)

"""The check that the tests apply to every answer is strict: anything outside the description fails."""

import json
from http.client import HTTPMessage
from typing import Any

import pytest

from services.contract.examples import examples
from tests.contract.answers import check_against_description

THREAD = examples("http://127.0.0.1")["create_thread"]
HEADERS = {"Agent-Effect": "none", "Content-Type": "application/json", "Location": "/api/threads/1"}
WRONG: list[dict[str, Any]] = [
    {"status": 204}, {"status": 418}, {"method": "HEAD"}, {"target": "/nowhere"}, {"body": None}, {"body": []},
    {"body": {**THREAD.answer, "one_more": 1}}, {"body": {**THREAD.answer, "title": {}}}, {"body": {"id": 1}},
    *({"without": name} for name in HEADERS),
]  # fmt: skip


def check(body: Any = THREAD.answer, without: str = "", **call: Any) -> None:
    """Check the recorded answer to a new thread with some parts replaced."""
    message = HTTPMessage()
    for name, value in HEADERS.items():
        if name != without:
            message[name] = value
    asked: dict[str, Any] = {"method": THREAD.method, "target": THREAD.target, "status": THREAD.status, **call}
    check_against_description(**asked, headers=message, content=b"" if body is None else json.dumps(body).encode())


def test_what_the_description_does_not_have_fails() -> None:
    check()
    for parts in WRONG:
        with pytest.raises((AssertionError, ValueError)):
            check(**parts)

"""The check that the tests apply to every answer is strict: anything outside the description fails."""

import json
from http.client import HTTPMessage
from typing import Any

import pytest

from services.contract.examples import Example, examples
from services.contract.operation import GET
from services.contract.operations import NAMED
from tests.cases import for_each
from tests.contract.answers import check_against_description

HEADERS = {"Agent_Effect": "none", "ETag": 'W/"x"', "Location": "/api/threads/1", "Retry_After": "60",
           "WWW_Authenticate": "Bearer"}  # fmt: skip
RECORDED = {name: one for name, one in examples("http://127.0.0.1").items() if isinstance(one.answer, dict)}
each_example = for_each("example", RECORDED.values(), ids=RECORDED)


NOTHING = b""


def check(example: Example, body: Any = None, **parts: Any) -> None:
    """Check a recorded answer with some parts replaced; a header that is None is left out."""
    call: dict[str, Any] = {"method": example.method, "target": example.target, "status": example.status}
    media_type = "application/problem+json" if example.status >= 400 else NAMED[example.operation].media_type
    message = HTTPMessage()
    for name, value in (HEADERS | {"Content_Type": media_type} | parts).items():
        if name not in call and value is not None:
            message[name.replace("_", "-")] = value
    content = NOTHING if body == NOTHING else json.dumps(example.answer if body is None else body).encode()
    asked = call | {name: value for name, value in parts.items() if name in call}
    check_against_description(**asked, headers=message, content=content)


@each_example
def test_what_the_description_does_not_have_fails(example: Example) -> None:
    operation, answer = NAMED[example.operation], dict(example.answer)
    wrong: list[dict[str, Any]] = [
        {"status": 204}, {"status": 418}, {"body": NOTHING}, {"Agent_Effect": None}, {"Content_Type": "text/html"},
        {"Content_Type": None},
    ]  # fmt: skip
    wrong += [{"target": "/nowhere"}] if example.status < 400 else []
    wrong += [{"ETag": None}, {"method": "HEAD"}] if example.method == GET and example.status == 200 else []
    wrong += [{"Location": None}] if operation.location and example.status == 201 else []
    wrong += [{"Retry_After": None}, {"Retry_After": "Fri, 10 Oct 2025 08:53:20 GMT"}] if example.status == 429 else []
    if not operation.document:
        wrong += [{"body": {**answer, "one_more": 1}}, {"body": list(answer)}]
        wrong += [{"body": {**answer, name: {}}} for name, value in answer.items() if not isinstance(value, dict)]
        wrong += [{"body": {other: answer[other] for other in answer if other != next(iter(answer))}}]
    for parts in wrong:
        with pytest.raises((AssertionError, ValueError)):
            check(example, **parts)


def test_what_is_no_operation_has_only_problems() -> None:
    problem = RECORDED["404"]
    check(problem, target="/nowhere")
    check(problem, method="DELETE", target="/api/threads", status=405)
    check(problem, method="OPTIONS", target="/api/threads", status=200, body=NOTHING, Content_Type=None)
    for parts in ({"method": "OPTIONS", "status": 200}, {"target": "/nowhere", "status": 200}):
        with pytest.raises(AssertionError):
            check(problem, **parts)

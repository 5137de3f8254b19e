"""Checks an answer against /openapi.json: status, headers, media type and body must match the description.

The description leaves room for new members of answers. Here there is none: the board sends what it documents.
"""

import json
import re
from functools import cache
from http.client import HTTPMessage
from importlib import import_module
from pkgutil import iter_modules
from typing import Any
from urllib.parse import urlsplit

import jsonschema_rs
from msgspec import Struct

from services.contract import answers
from services.contract.media_types import HTML
from services.contract.operation import SLASHED, Operation
from services.contract.operations import OPERATIONS
from tests.contract.description import closed_schemas, responses_of

SCHEMAS = closed_schemas()
LITERAL = {operation.path for operation in OPERATIONS if "{" not in operation.path}
RESPONSES = {operation.name: responses_of(operation) for operation in OPERATIONS}
PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
RECORDS = {
    name: kind
    for module in iter_modules(answers.__path__, f"{answers.__name__}.")
    for name, kind in vars(import_module(module.name)).items()
    if isinstance(kind, type) and issubclass(kind, Struct) and kind is not Struct
}
IGNORED = "ignored_parameters"
# the possible answers where there is no operation for the path or the method, and to OPTIONS: a description of
# operations omits them
ELSEWHERE = (400, 404, 405, 413, 500, 503)


def check_against_description(method: str, target: str, status: int, headers: HTTPMessage, content: bytes) -> None:
    """Fail unless the description includes this answer to this call."""
    try:
        answer = described(method, target, status)
        if answer is None:
            assert content == b"", "it has a body"
        else:
            check_headers(answer, headers)
            check_body(answer, method, target, str(headers["Content-Type"]), without_ignored(headers, content))
    except AssertionError as failed:
        raise AssertionError(f"{method} {target} answers {status} as /openapi.json does not: {failed}") from None


def described(method: str, target: str, status: int) -> Any:
    """The response object of an answer, None for a successful OPTIONS. Fails when the description has none."""
    operation = find_operation(method, urlsplit(target).path)
    if operation is not None:
        answers = RESPONSES[operation.name]
        assert str(status) in answers, f"{operation.name} has no such answer"
        # the specification allows 200 for every operation; ours that only create never answer it
        creates = operation.status == 201 and operation.existing is None
        assert not (creates and status == 200), f"{operation.name} answers 201"
        return answers[str(status)]
    if method == "OPTIONS" and status == 200:
        return None
    assert status in ELSEWHERE, "no operation is there"
    return {"headers": {}, "content": PROBLEM}


def find_operation(method: str, path: str) -> Operation | None:
    """The operation that a call is for. Literal paths take precedence, also over those of another method (2.3)."""
    paths = paths_of("GET" if method == "HEAD" else method)
    found = next((operation for pattern, operation in paths if pattern.fullmatch(path)), None)
    return None if found is not None and path in LITERAL - {found.path} else found


@cache
def paths_of(method: str) -> list[tuple[re.Pattern[str], Operation]]:
    """The operations of a method with their paths; literal paths come before those with parameters."""
    found = sorted((each for each in OPERATIONS if each.method == method), key=lambda each: len(each.parameters))
    return [
        (re.compile(re.sub(r"{(\w+)}", lambda name: ".+" if name[1] in SLASHED else "[^/]+", each.path)), each)
        for each in found
    ]


def check_headers(answer: Any, headers: HTTPMessage) -> None:
    """Every required header must be present, among them that of all answers, and each must have its type."""
    assert "Agent-Effect" in headers, "Agent-Effect is missing"
    # a search for each name would take longer than the answer
    sent = {name.lower(): value for name, value in headers.items()}
    for name, header in answer["headers"].items():
        value = sent.get(name.lower())
        assert value is not None or not header.get("required"), f"{name} is missing"
        if value is not None and header["schema"]["type"] == "integer":
            assert re.fullmatch("0|[1-9][0-9]*", value), f"{name} is no integer"


def without_ignored(headers: HTTPMessage, content: bytes) -> bytes:
    """The content without `ignored_parameters`: any object can have it, so it is described with its header."""
    if not content or "Ignored-Parameters" not in headers or "json" not in str(headers["Content-Type"]):
        return content
    return json.dumps({name: value for name, value in json.loads(content).items() if name != IGNORED}).encode()


def check_body(answer: Any, method: str, target: str, media_type: str, content: bytes) -> None:
    """There must be a body exactly when one is described, with a described media type and schema."""
    if "content" not in answer or method == "HEAD":
        assert content == b"", "it has a body"
        return
    assert content, "it has no body"
    if "application/problem+json" in answer["content"] and media_type == HTML and not target.startswith("/api/"):
        return  # a problem as a page for people, which the description leaves out
    assert media_type in answer["content"], f"it is of {media_type}"
    schema = answer["content"][media_type]["schema"]
    if schema.get("format") == "binary":
        return
    body = json.loads(content) if "json" in media_type else content.decode()
    errors = [f"{error.instance_path}: {error.message}" for error in validator(json.dumps(schema)).iter_errors(body)]
    assert not errors, errors


@cache
def validator(schema: str) -> jsonschema_rs.Draft4Validator:
    """A compiled validator: one that interprets the schema takes most of a test's time."""
    return jsonschema_rs.Draft4Validator({"components": components(), "allOf": [as_draft_4(json.loads(schema))]})


@cache
def components() -> Any:
    return {"schemas": as_draft_4(SCHEMAS)}


def as_draft_4(schema: Any) -> Any:
    """A schema of OpenAPI 3.0 as one of JSON Schema, draft 4: they differ in `nullable`."""
    if isinstance(schema, list):
        return [as_draft_4(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    same = {name: as_draft_4(value) for name, value in schema.items() if name != "nullable"}
    return same | {"type": [schema["type"], "null"]} if schema.get("nullable") is True else same

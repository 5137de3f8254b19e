"""Holds an answer against /openapi.json: its status must be described there, and its body must be what is described."""

import re
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from openapi_schema_validator import OAS30ReadValidator, oas30_format_checker

from services.api.openapi import openapi
from services.board.contract.operations import OPERATIONS, Operation
from services.board.links import Links

DOCUMENT = openapi(Links("http://127.0.0.1"))
# the transport's own refusals, which a description of operations leaves out
EVERYWHERE = (405, 413)


def check_against_description(method: str, target: str, status: int, media_type: str | None, body: Any) -> None:
    """Fail unless the description has this answer of this call. A body that is None was not sent (HEAD, 304)."""
    operation = find_operation(method, urlsplit(target).path)
    if operation is None or status in EVERYWHERE or method == "OPTIONS":
        schema = problem_schema() if status >= 400 else None
    else:
        schema = described(operation.name, str(status), media_type if body is not None else None)
    if schema is not None and body is not None:
        errors = [f"{error.json_path}: {error.message}" for error in validator(schema).iter_errors(body)]
        assert not errors, (method, target, status, errors)


def find_operation(method: str, path: str) -> Operation | None:
    """The operation that a call is for; literal paths come before those with parameters."""
    method = "GET" if method == "HEAD" else method
    found = [operation for operation in OPERATIONS if operation.method == method and pattern(operation).fullmatch(path)]
    return min(found, key=lambda operation: len(operation.parameters), default=None)


@cache
def pattern(operation: Operation) -> re.Pattern[str]:
    return re.compile(re.sub(r"{\w+}", "[^/]+", operation.path))


def described(name: str, status: str, media_type: str | None) -> str | None:
    """The component that describes an answer, None when no body was sent."""
    operation = next(operation for operation in OPERATIONS if operation.name == name)
    responses = DOCUMENT["paths"][operation.path][operation.method.lower()]["responses"]
    assert status in responses, f"{name} answers {status}, which /openapi.json does not have"
    if media_type is None:
        return None
    content = responses[status]["content"]
    assert media_type in content, f"{name} answers {status} as {media_type}, which /openapi.json does not have"
    reference: str | None = content[media_type]["schema"].get("$ref")
    return reference


def problem_schema() -> str:
    return "#/components/schemas/Problem"


@cache
def validator(reference: str) -> OAS30ReadValidator:
    document = {"components": DOCUMENT["components"], "allOf": [{"$ref": reference}]}
    return OAS30ReadValidator(document, format_checker=oas30_format_checker)

"""Reads a request: path, query, headers and body, into the shapes of the contract or the errors that say why not."""

import hashlib
import json
import re
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec
from msgspec import Struct, inspect
from sanic.exceptions import BadRequest

from services.board.contract.operations import Operation
from services.board.contract.schemas import BODY_BYTES_MAX, ID_MAX, IDEMPOTENCY_KEY_MAX, NAME_PATTERN, FieldError
from services.board.credentials import find_token
from services.board.errors import (
    BoardError,
    CredentialInURL,
    Invalid,
    InvalidIdempotencyKey,
    InvalidJSON,
    NotFound,
    SecretDetected,
)
from services.board.validation import rules_of, validate

INTEGER = re.compile(r"0|[1-9][0-9]{0,17}")
SIGNED = re.compile(r"-?[0-9]{1,30}")
NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?")
LENGTH = re.compile(r"[0-9]+[ \t]*")
NAME = re.compile(NAME_PATTERN)
PRINTABLE = re.compile(r"[\x20-\x7e]+")
QUOTED = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
DRAIN_BYTES_MAX = 4 * BODY_BYTES_MAX
SINGLE_QUOTES = "The body is not valid JSON: JSON needs double quotes, and a single quote stands outside of a text."


class BodyTooLarge(BoardError):
    """The body is larger than is read."""

    def __init__(self) -> None:
        super().__init__(f"The body is larger than {BODY_BYTES_MAX} bytes.")


class UnsupportedMediaType(BoardError):
    """The body must be JSON."""


def refuse_credential(url: bytes) -> None:
    """Raise CredentialInURL when a token stands anywhere in the URL, escaped or not."""
    if (b"agb" in url or b"%" in url) and find_token(unquote(url.decode("ascii", "replace"))):
        raise CredentialInURL()


def parse_path(operation: Operation, raw: dict[str, str]) -> dict[str, Any]:
    """The path parameters. What cannot be the id or the name of anything is not found."""
    return {name: PATH_PARAMETERS[name](raw[name]) for name in operation.parameters}


def parse_id(text: str) -> int:
    if not INTEGER.fullmatch(text) or not 1 <= int(text) <= ID_MAX:
        raise NotFound()
    return int(text)


def parse_name(text: str) -> str:
    name = unquote(text)
    if not NAME.fullmatch(name):
        raise NotFound()
    return name


PATH_PARAMETERS = {"id": parse_id, "event_id": parse_id, "name": parse_name}


def parse_query(schema: type[Struct], raw: str) -> Struct:
    """The query of an operation; unknown parameters are ignored, a known one may stand once."""
    rules = rules_of(schema)
    sent: dict[str, Any] = {}
    errors = []
    for name, text in query_pairs(raw):
        if name not in rules:
            continue
        if name in sent:
            errors.append(FieldError(None, name, "too_many", f"{name} was sent more than once.", 1, 2))
        sent[name] = typed(text, rules[name][0])
    if errors:
        raise Invalid(errors)
    optional = {name for name, (_, _, _, nullable) in rules.items() if nullable}
    return validate(schema, {k: v for k, v in sent.items() if v != "" or k not in optional}, part="query")


def query_pairs(raw: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        detail = "The query must be UTF-8, percent-encoded, with at most 100 parameters."
        raise Invalid([FieldError(None, "query", "bad_format", detail, 100)]) from None


def typed(text: str, kind: inspect.Type) -> Any:
    """The value of a query parameter; text that is no number stays text and is refused as such."""
    if isinstance(kind, inspect.IntType):
        # a negative or too large one is out of range, any other form is not an integer at all
        return int(text) if INTEGER.fullmatch(text) or (SIGNED.fullmatch(text) and str(int(text)) == text) else text
    if isinstance(kind, inspect.FloatType):
        return float(text) if NUMBER.fullmatch(text) else text
    return text


def parse_idempotency_key(values: list[str]) -> str | None:
    """The key, bare or quoted (decisions 1.14): both forms are the same key. Raises InvalidIdempotencyKey."""
    if not values:
        return None
    text = values[0].strip(" \t")
    if quoted := QUOTED.fullmatch(text):
        text = re.sub(r"\\(.)", r"\1", quoted[1])
    if len(values) > 1 or not PRINTABLE.fullmatch(text) or len(text) > IDEMPOTENCY_KEY_MAX:
        raise InvalidIdempotencyKey()
    if find_token(text):
        raise SecretDetected("agent-board-token")  # the key is kept, and a token must never be
    return text


def fingerprint(operation: Operation, path: dict[str, Any], body: Struct | None) -> bytes:
    """SHA-256 of route, path parameters and validated body: other white space or key order is the same content.

    It is kept for ever, so it must not change with a release: fields that were not sent are left out, and the route
    stands for the operation, not its name.
    """
    fields = {} if body is None else {k: v for k, v in msgspec.structs.asdict(body).items() if v is not None}
    content = [operation.method, operation.path, path, fields]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).digest()


def check_length(stream: Any, headers: Any) -> None:
    """Raise Invalid for a Content-Length in the digits of other scripts: Sanic takes them, other servers do not."""
    if stream.request_body is True and not LENGTH.fullmatch(headers["content-length"]):
        stream.keep_alive = False
        detail = "Content-Length must be a number in ASCII digits."
        raise Invalid([FieldError(None, "Content-Length", "bad_format", detail)])


async def receive_body(stream: Any) -> bytes:
    """All of the body. Raises BodyTooLarge; then what is left is read away after the answer, up to 1 MiB."""
    stream.request_max_size = float("inf")
    if stream.request_bytes > DRAIN_BYTES_MAX:
        stream.keep_alive = False
    if stream.request_bytes > BODY_BYTES_MAX:
        raise BodyTooLarge()
    body = b""
    try:
        while stream.request_body and (part := await stream.read()):
            body += part
            if len(body) > BODY_BYTES_MAX:
                raise BodyTooLarge()
    except BadRequest:
        raise Invalid([FieldError(None, "body", "bad_format", "The body is not chunked as HTTP asks.")]) from None
    return body


def check_media_type(operation: Operation, headers: Any) -> None:
    """Raise UnsupportedMediaType unless the body is plain JSON (a merge patch on PATCH)."""
    values = headers.getall("content-type", [])
    media_type = values[0].split(";")[0].strip().lower() if len(values) == 1 else ""
    if media_type not in operation.media_types:
        raise UnsupportedMediaType(f"One Content-Type is needed: {' or '.join(operation.media_types)}.")
    if any(value.strip().lower() != "identity" for value in headers.getall("content-encoding", [])):
        raise UnsupportedMediaType("The body must be sent without a Content-Encoding.")


def parse_body(schema: type[Struct], body: bytes) -> Struct:
    """The validated body; none at all stands for {}. Raises InvalidJSON, Invalid."""
    try:
        sent = decode(body) if body else {}
    except RecursionError:
        raise InvalidJSON("The body is nested too deeply.") from None
    except ValueError as error:
        raise InvalidJSON(SINGLE_QUOTES if is_single_quote(error) else None) from None
    if not isinstance(sent, dict):
        raise Invalid([FieldError("#", "body", "wrong_type", "The body must be a JSON object.")])
    return validate(schema, sent)


def decode(body: bytes) -> Any:
    """What the JSON says. Raises ValueError, RecursionError, and InvalidJSON when a name stands twice in an object.

    A lone surrogate and a number that no machine type holds are JSON too: they go on, so that the field is named.
    """
    return json.loads(
        body.decode(),
        parse_constant=refuse_constant,
        parse_int=lambda digits: int(digits[:40]),
        object_pairs_hook=unique_names,
    )


def is_single_quote(error: ValueError) -> bool:
    """Whether a single quote is what the JSON stumbled over."""
    return isinstance(error, json.JSONDecodeError) and error.doc.startswith("'", error.pos)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object, unless one of two values would be dropped in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidJSON("A name stands twice in an object of the body.")
    return found

"""Receives and reads the body of a request."""

import asyncio
import hashlib
import json
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct

from services.board.errors import BoardError, Invalid, InvalidJSON
from services.board.validation import validate
from services.contract.answers import FieldError
from services.contract.bounds import BODY_BYTES_MAX
from services.contract.operations import Operation

from .chunks import MalformedChunks
from .stream import InputEnded

DRAIN_BYTES_MAX: Final = 4 * BODY_BYTES_MAX
SHORT_BYTES: Final = 32
SHORT_BODIES: Final = 1000
SINGLE_QUOTES: Final = (
    "The body is not valid JSON: it has a single quote outside a string; JSON requires double quotes."
)


class BodyTooLarge(BoardError):
    """The body is too large."""

    def __init__(self) -> None:
        super().__init__(f"The body is larger than {BODY_BYTES_MAX} bytes.")


class UnsupportedMediaType(BoardError):
    """The body must be JSON."""


async def receive_body(stream: Any) -> bytes:
    """Return the whole body. Raises BodyTooLarge, and Invalid for chunks that are malformed or a body that is late."""
    if not stream.request_body:
        return b""
    if stream.request_bytes > BODY_BYTES_MAX:
        raise BodyTooLarge()
    if stream.has_all():
        return bytes(stream.take())
    try:
        async with stream.body_patience():
            return await receive_parts(stream)
    except MalformedChunks:
        raise bad_body("The chunked body is malformed.") from None
    except (TimeoutError, InputEnded) as error:
        stream.keep_alive = False
        when = "in time" if isinstance(error, TimeoutError) else "before the connection ended"
        raise bad_body(f"The body did not arrive in full {when}; nothing was changed.") from None


async def receive_parts(stream: Any) -> bytes:
    """Return the whole body, and let other requests run between its parts. Raises BodyTooLarge, MalformedChunks."""
    body = bytearray()
    while (part := await stream.read()) is not None:
        body += part
        if len(body) > BODY_BYTES_MAX:
            raise BodyTooLarge()
        await asyncio.sleep(0)
    return bytes(body)


def bad_body(detail: str) -> Invalid:
    """Return the error for a body that could not be received."""
    return Invalid([FieldError(None, "body", "bad_format", detail)])


def check_media_type(operation: Operation, headers: Any) -> None:
    """Raise UnsupportedMediaType unless the body is JSON (or, on PATCH, a merge patch) without an encoding."""
    values = headers.getall("content-type", [])
    if len(values) == 1 and values[0] in operation.media_types and "content-encoding" not in headers:
        return
    media_type = values[0].split(";")[0].strip().lower() if len(values) == 1 else ""
    if media_type not in operation.media_types:
        raise UnsupportedMediaType(f"Exactly one Content-Type is required: {' or '.join(operation.media_types)}.")
    if any(value.strip().lower() != "identity" for value in headers.getall("content-encoding", [])):
        raise UnsupportedMediaType("The body must be sent without a Content-Encoding.")


def parse_body(schema: type[Struct], body: bytes) -> Struct:
    """Return the validated body; an empty one means {}. Raises InvalidJSON, Invalid.

    Equal short bodies, such as those of votes, share one struct: never change it.
    """
    return parse_short(schema, body) if len(body) <= SHORT_BYTES else parse(schema, body)


def parse(schema: type[Struct], body: bytes) -> Struct:
    try:
        sent = decode(body) if body else {}
    except RecursionError:
        raise InvalidJSON("The body is nested too deeply.") from None
    except ValueError as error:
        raise InvalidJSON(SINGLE_QUOTES if is_single_quote(error) else None) from None
    if not isinstance(sent, dict):
        raise Invalid([FieldError("#", "body", "wrong_type", "The body must be a JSON object.")])
    return validate(schema, sent)


parse_short = lru_cache(SHORT_BODIES)(parse)


def decode(body: bytes) -> Any:
    """Decode JSON. Raises ValueError, RecursionError, and InvalidJSON for an object that has the same name twice.

    Lone surrogates and huge numbers are valid JSON: validation refuses them, so that the error names the field.
    """
    return DECODER.decode(body.decode())


def is_single_quote(error: ValueError) -> bool:
    """Whether decoding failed at a single quote."""
    return isinstance(error, json.JSONDecodeError) and error.doc.startswith("'", error.pos)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object. Raises InvalidJSON for a repeated name: one of its values would be lost silently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidJSON("An object in the body has the same name twice.")
    return found


DECODER: Final = json.JSONDecoder(
    parse_constant=refuse_constant, parse_int=lambda digits: int(digits[:40]), object_pairs_hook=unique_names
)


def fingerprint(operation: Operation, path: dict[str, Any], body: Struct | None) -> bytes:
    """Return the SHA-256 of route, path parameters and validated body, by which the release before knows a repeat.

    It must stay as it is: fields that were not sent are left out, and the operation is identified by its route.
    """
    fields = {} if body is None else {k: v for k, v in msgspec.structs.asdict(body).items() if v is not None}
    content = [operation.method, operation.path, path, fields]
    return hashlib.sha256(msgspec.json.encode(content, order="sorted")).digest()

"""Reads the body of a request: its media type, and its JSON."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from msgspec import Struct

from services.board.errors import BoardError, Invalid, InvalidJSON
from services.board.validation.bodies import validate
from services.contract.answers.problems import FieldError
from services.contract.operation import Operation

# Python's own `strip` would also drop characters that HTTP does not count as white space.
WHITE_SPACE: Final = " \t"


class UnsupportedMediaType(BoardError):
    """The body must be JSON."""


def check_media_type(operation: Operation, headers: Any) -> None:
    """Raise UnsupportedMediaType unless the body is JSON (or, on PATCH, a merge patch) without an encoding."""
    values = headers.getall("content-type", [])
    if media_type_of(values) not in operation.media_types:
        raise UnsupportedMediaType(f"Exactly one Content-Type is required: {' or '.join(operation.media_types)}.")
    if is_encoded(headers.getall("content-encoding", [])):
        raise UnsupportedMediaType("The body must be sent without a Content-Encoding.")


def media_type_of(values: Sequence[str]) -> str:
    """Return the media type of the one Content-Type without parameters, in lower case (RFC 9110, 8.3.1); "" for none.

    `values` are those of all fields of that name: of two, each could be meant.
    """
    return values[0].partition(";")[0].strip(WHITE_SPACE).lower() if len(values) == 1 else ""


def is_encoded(values: Iterable[str]) -> bool:
    """Whether `Content-Encoding` names a coding; `identity` is none."""
    codings = (coding.strip(WHITE_SPACE) for coding in ",".join(values).lower().split(","))
    return any(coding not in ("", "identity") for coding in codings)


def parse_body(schema: type[Struct], body: bytes) -> Struct:
    """Return the validated body; an empty one means {}. Raises InvalidJSON, Invalid."""
    try:
        sent = DECODER.decode(body.decode()) if body else {}
    except RecursionError:
        raise InvalidJSON("The body is nested too deeply.") from None
    except ValueError:
        raise InvalidJSON() from None
    if not isinstance(sent, dict):
        raise Invalid([FieldError("#", "body", "wrong_type", "The body must be a JSON object.")])
    return validate(schema, sent)


def refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object. Raises InvalidJSON for a repeated name: one of its values would be lost silently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise InvalidJSON("An object in the body has the same name twice.")
    return found


# Lone surrogates and huge numbers are valid JSON: validation refuses them, so that the error names the field.
DECODER: Final = json.JSONDecoder(
    parse_constant=refuse_constant, parse_int=lambda digits: int(digits[:40]), object_pairs_hook=unique_names
)

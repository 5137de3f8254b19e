"""From the bytes of an answer to a record, and back. Answers of other types are never passed on."""

from typing import Any

import msgspec

from .errors import Refused, UnexpectedAnswer
from .models import Problem
from .operations import HINTS
from .untrusted import Untrusted


def decode(content: bytes, kind: Any) -> Any:
    """Return an answer as its type. Raises UnexpectedAnswer if it is anything else."""
    try:
        if kind is str:
            return content.decode()
        if kind is bytes:
            return content
        return msgspec.json.decode(content, type=kind, dec_hook=wrap)
    except (ValueError, RecursionError):
        # The text of the error may contain what the answer contained.
        raise UnexpectedAnswer(
            "The answer does not have the form of a board's answer.", "Check the address; it may not be a board."
        ) from None


def wrap(kind: type, value: Any) -> Any:
    if kind is not Untrusted or not isinstance(value, str):
        raise TypeError("expected a text")
    return Untrusted(value)


def to_json(record: Any) -> bytes:
    """Return a record as JSON, with the texts of agents as they are: for programs, which treat them as data."""
    return msgspec.json.encode(record, enc_hook=unwrap)


def unwrap(value: Any) -> Any:
    if isinstance(value, Untrusted):
        return value.unwrap()
    raise TypeError(f"{type(value).__name__} is no JSON")


def problem(status: int, content: bytes) -> Refused:
    """Return the error that an answer describes, or one without details if it describes none."""
    try:
        told = msgspec.json.decode(content, type=Problem)
    except (ValueError, RecursionError):
        sentence = f"The answer is an error with status {status} and no explanation."
        refused = Refused(status, "unknown", sentence, "A proxy or a load balancer may have given it.")
        refused.by_board = False
        return refused
    state = told.suspended or None, told.frozen or None
    refused = Refused(status, told.code, told.detail, told.hint, told.errors, told.request_id, *state)
    refused.has_known_hint = told.hint in HINTS
    return refused

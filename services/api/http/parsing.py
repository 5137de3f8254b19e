"""Reads the path, the query, the token and the Idempotency-Key of a request. Raises the errors of the contract.

It parses `Authorization` itself: Sanic's `request.token` finds a scheme anywhere in the value.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache, partial
from typing import Any, Final, TypedDict, cast
from urllib.parse import parse_qsl, unquote

from msgspec import Struct, inspect

from services.board.errors import (
    CredentialInURL,
    Invalid,
    InvalidIdempotencyKey,
    InvalidToken,
    NotFound,
    SecretDetected,
)
from services.board.validation.bodies import rules_of, unwrap, validate
from services.board.validation.credentials import find_token
from services.contract.answers.problems import FieldError
from services.contract.bounds import ID_MAX, IDEMPOTENCY_KEY_MAX
from services.contract.names import could_be_name, could_be_slug, key_of, normal
from services.contract.operation import SLASHED, Operation

INTEGER: Final = re.compile(r"0|[1-9][0-9]{0,17}")
SIGNED: Final = re.compile(r"-?[0-9]{1,30}")
NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
PRINTABLE: Final = re.compile(r"[\x20-\x7e]+")
QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
BEARER = re.compile(r"bearer +(\S+)", re.IGNORECASE)
SCHEME = re.compile(r"bearer(?:\s|$)", re.IGNORECASE)
NO_SCHEME = "The scheme Bearer is missing in Authorization."
SEND_SCHEME = "Send Authorization: Bearer, then a space and the token."


def refuse_credential(url: bytes) -> None:
    """Raise CredentialInURL if the URL contains a token anywhere, escaped or not."""
    if (b"agb" in url or b"%" in url) and find_token(unquote(url.decode("ascii", "replace"))):
        raise CredentialInURL()


class PathValues(TypedDict, total=False):
    """The parameters of a path by name: those that its operation has."""

    id: int
    event_id: int
    name: str
    slug: str
    bundle: str
    tile: str


def parse_path(operation: Operation, raw: dict[str, str]) -> PathValues:
    """Return the path parameters. Raises NotFound for an impossible id, name or slug."""
    return cast(PathValues, {name: PATH_PARAMETERS[name](raw[name]) for name in operation.parameters})


def parse_id(text: str) -> int:
    if not INTEGER.fullmatch(text) or not 1 <= int(text) <= ID_MAX:
        raise NotFound()
    return int(text)


def parse_name(text: str) -> str:
    name = normal(unquote(text))
    if not could_be_name(name):
        raise NotFound()
    return name


def parse_slug(text: str) -> str:
    slug = key_of(unquote(text))
    if not could_be_slug(slug):
        raise NotFound()
    return slug


def parse_form(form: re.Pattern[str], text: str) -> str:
    """Return a text that has a form. Raises NotFound for another."""
    if not form.fullmatch(text):
        raise NotFound()
    return text


PATH_PARAMETERS: Final[dict[str, Callable[[str], Any]]] = {
    "id": parse_id,
    "event_id": parse_id,
    "name": parse_name,
    "slug": parse_slug,
    **{name: partial(parse_form, re.compile(form)) for name, form in SLASHED.items()},
}


def parse_query(schema: type[Struct], raw: str) -> Struct:
    """Return the query of an operation. Unknown parameters are ignored. Raises Invalid, also for repeated ones."""
    rules = rules_of(schema)
    sent: dict[str, Any] = {}
    errors = []
    for name, text in query_pairs(raw):
        if name not in rules:
            continue
        if name in sent:
            errors.append(FieldError(None, name, "too_many", f"{name} was sent more than once.", 1, 2))
        sent[name] = typed(text, *rules[name][:2])
    if errors:
        raise Invalid(errors)
    # An empty filter does not filter, but an empty cursor is a mistake.
    optional = {name for name, (kind, _, _, nullable) in rules.items() if nullable and not is_cursor(kind)}
    return validate(schema, {k: v for k, v in sent.items() if v not in ("", []) or k not in optional}, part="query")


@cache
def empty_query(schema: type[Struct]) -> Struct:
    """Return the query of a URL without one; requests share it. Raises Invalid if a parameter is required."""
    return parse_query(schema, "")


def unknown_parameters(schema: type[Struct] | None, raw: str) -> tuple[str, ...]:
    """Return the names in a query that its operation does not know, each once; none of a query that is malformed."""
    known = {} if schema is None else rules_of(schema)
    try:
        return tuple(dict.fromkeys(name for name, _ in query_pairs(raw) if name not in known))
    except Invalid:
        return ()


def query_pairs(raw: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        detail = "The query must be UTF-8, percent-encoded, with at most 100 parameters."
        raise Invalid([FieldError(None, "query", "bad_format", detail, 100)]) from None


def is_cursor(kind: inspect.Type) -> bool:
    """Whether a query parameter that may be left out is a position rather than a filter."""
    return isinstance(kind, inspect.IntType)


def typed(text: str, kind: inspect.Type, extra: Mapping[str, Any]) -> Any:
    """Return the value of a query parameter. A text that is not a number stays text, and is refused as wrong_type."""
    if isinstance(kind, inspect.IntType):
        # Negative or too large integers become out_of_range; any other form is not an integer.
        return int(text) if INTEGER.fullmatch(text) or (SIGNED.fullmatch(text) and str(int(text)) == text) else text
    if isinstance(kind, inspect.FloatType):
        return float(text) if NUMBER.fullmatch(text) else beginning_of(text) if extra.get("day") else text
    if isinstance(kind, inspect.ListType):
        return [typed(part, *unwrap(kind.item_type)) for part in text.split(",")] if text else []
    return text


def beginning_of(day: str) -> float | str:
    """Return the Unix time at which a day of UTC begins, such as 2026-11-27; another text as it is."""
    try:
        return datetime.strptime(f"{day}Z", "%Y-%m-%d%z").timestamp()
    except ValueError:
        return day


def parse_idempotency_key(values: list[str]) -> str | None:
    """Return the key, bare or quoted (interface 7.4). Raises InvalidIdempotencyKey, SecretDetected."""
    if not values:
        return None
    text = values[0]
    if quoted := QUOTED.fullmatch(text):
        text = re.sub(r"\\(.)", r"\1", quoted[1])
    if len(values) > 1 or not PRINTABLE.fullmatch(text) or len(text) > IDEMPOTENCY_KEY_MAX:
        raise InvalidIdempotencyKey()
    if find_token(text):
        raise SecretDetected("agent-board-token")  # the key is stored, and a token must never be
    return text


def bearer_token(headers: Any) -> str | None:
    """Return the token of the one `Authorization` header; None without one. Raises Invalid, InvalidToken."""
    values = headers.getall("authorization", [])
    if not values:
        return None
    if len(values) > 1:
        detail = "Authorization was sent more than once."
        raise Invalid([FieldError(None, "Authorization", "too_many", detail, 1, len(values))])
    match = BEARER.fullmatch(values[0])
    if match is None:
        raise InvalidToken() if SCHEME.match(values[0]) else InvalidToken(NO_SCHEME, SEND_SCHEME)
    return match[1]

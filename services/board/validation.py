"""Checks a request against its schema and says everything that is wrong with it (decisions 1.0, 1.1).

There is no coercion: `true` is not an integer, `1.0` is not an integer, and an unknown field is refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET, Struct, inspect

from .contract.schemas import FieldError
from .errors import Invalid

# as they stand in a character class, in Python's and in JSON Schema's regular expressions
CONTROLS = r"\u0000-\u0008\u000b\u000c\u000e-\u001f"
LINE_BREAKS = r"\r\n\u0085\u2028\u2029"
CONTROL = re.compile(f"[{CONTROLS}]")
SURROGATE = re.compile("[\ud800-\udfff]")
LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
UNKNOWN_FIELDS_SHOWN = 20
# a name in any script, or an IPv6 address
HOST = re.compile(r"[^\W_](?:[\w.-]*[^\W_])?\.?|[0-9a-f:.]*:[0-9a-f:.]*")
UNKNOWN_NAME_SHOWN = 40
S = TypeVar("S", bound=Struct)


class Refused(Exception):
    """One value is refused, with the members of its FieldError."""

    def __init__(self, code: str, detail: str, limit: float | None = None, actual: float | None = None) -> None:
        super().__init__(code)
        self.code, self.detail, self.limit, self.actual = code, detail, limit, actual


def validate(schema: type[S], sent: Mapping[str, Any], part: str = "body") -> S:
    """Make a `schema` from what was sent in the "body" or the "query".

    Raises Invalid with every error found. Unknown fields are refused in a body and ignored in a query.
    """
    rules = rules_of(schema)
    errors: list[FieldError] = []
    fields: dict[str, Any] = {}
    for name, (kind, extra, required, optional) in rules.items():
        if name not in sent:
            if required:
                errors.append(error(part, (name,), Refused("required", "is required")))
        elif sent[name] is None and optional:
            fields[name] = None
        else:
            fields[name] = checked(sent[name], kind, extra, part, (name,), errors)
    if part == "body":
        errors.extend(islice(unknown_fields(schema, rules, sent), UNKNOWN_FIELDS_SHOWN))
    if errors:
        raise Invalid(errors)
    return schema(**(fields | narrowed(schema, fields, part)))


def narrowed(schema: type[Struct], fields: Mapping[str, Any], part: str) -> dict[str, Any]:
    """What further rules make of some fields; which rules, another field says (`narrows` of the schema).

    Raises Invalid.
    """
    by, choices = getattr(schema, "narrows", (None, {}))
    if by is None:
        return {}
    narrower = choices[fields[by]]
    sent = {name: fields[name] for name in rules_of(narrower) if fields.get(name) is not None}
    return msgspec.structs.asdict(validate(narrower, sent, part))


@cache
def rules_of(schema: type[Struct]) -> dict[str, tuple[inspect.Type, dict[str, Any], bool, bool]]:
    """Per field: its type, what `Meta.extra` says, whether it is required, whether it may be null."""
    info = inspect.type_info(schema)
    assert isinstance(info, inspect.StructType)
    rules = {}
    for field in info.fields:
        kind, extra = unwrap(field.type)
        optional = isinstance(kind, inspect.UnionType) and any(isinstance(t, inspect.NoneType) for t in kind.types)
        if isinstance(kind, inspect.UnionType):
            (inner,) = (t for t in kind.types if not isinstance(t, inspect.NoneType))
            kind, extra = unwrap(inner)
        rules[field.name] = (kind, extra, field.required, optional)
    return rules


def unwrap(kind: inspect.Type) -> tuple[inspect.Type, dict[str, Any]]:
    """A type without its metadata, and the metadata."""
    extra: dict[str, Any] = {}
    while isinstance(kind, inspect.Metadata):
        extra |= kind.extra or {}
        kind = kind.type
    return kind, extra


def checked(
    value: Any,
    kind: inspect.Type,
    extra: dict[str, Any],
    part: str,
    path: tuple[str | int, ...],
    errors: list[FieldError],
) -> Any:
    """The value as it is kept, or None after adding to the errors."""
    try:
        if isinstance(kind, inspect.ListType):
            return checked_list(value, kind, extra, part, path, errors)
        return CHECKS[type(kind)](value, kind, extra)
    except Refused as refused:
        errors.append(error(part, path, refused))
        return None


def checked_list(
    value: Any,
    kind: inspect.ListType,
    extra: dict[str, Any],
    part: str,
    path: tuple[str | int, ...],
    errors: list[FieldError],
) -> list[Any]:
    if not isinstance(value, list):
        raise Refused("wrong_type", "must be an array")
    if kind.max_length is not None and len(value) > kind.max_length:
        raise Refused(
            "too_many", f"has {len(value)} items; at most {kind.max_length} are allowed", kind.max_length, len(value)
        )
    item_kind, item_extra = unwrap(kind.item_type)
    items = [checked(item, item_kind, item_extra, part, (*path, i), errors) for i, item in enumerate(value)]
    if not extra.get("unique"):
        return items
    first: dict[str, str] = {}
    for item in items:
        if item is not None:
            first.setdefault(item.lower(), item)
    return list(first.values())


def checked_text(value: Any, kind: inspect.StrType, extra: dict[str, Any]) -> str:
    if not isinstance(value, str):
        raise Refused("wrong_type", "must be a string")
    text = value.strip() if extra.get("trim") else value
    text = text.lower() if extra.get("lower") else text
    if kind.max_length is not None and len(text) > kind.max_length:
        detail = f"has {len(text)} characters; at most {kind.max_length} are allowed"
        raise Refused("too_long", detail, kind.max_length, len(text))
    check_characters(text, line=bool(extra.get("line") or kind.pattern))
    if not extra.get("blank") and not text.strip():
        raise Refused("blank", "must not be blank", 1, len(text))
    check_form(text, kind, extra)
    return text


def check_characters(text: str, line: bool) -> None:
    """Refuse what cannot be stored or would break a line of output."""
    if CONTROL.search(text):
        raise Refused("control_character", "has a control character; only line feed, return and tab are allowed")
    if SURROGATE.search(text):
        raise Refused("control_character", "has a lone surrogate, which is no character")
    if line and LINE_BREAK.search(text):
        raise Refused("control_character", "must be a single line")


def check_form(text: str, kind: inspect.StrType, extra: dict[str, Any]) -> None:
    if kind.pattern and not re.fullmatch(kind.pattern, text):
        raise Refused("bad_format", f"must match {kind.pattern}")
    if text.lower() in extra.get("not", ()):
        raise Refused("not_allowed_value", "is a reserved word")
    if extra.get("format") == "website" and text and not is_website(text):
        raise Refused("bad_format", "must be empty or an absolute http or https URL without user information")


def is_website(text: str) -> bool:
    """Whether the text is an absolute http(s) URL with a host and without user information."""
    try:
        url = urlsplit(text)
        port_is_valid = url.port is None or url.port >= 0
    except ValueError:
        return False
    plain = not re.search(r"[\s\\<>\"]", text) and "@" not in url.netloc
    return (
        plain and port_is_valid and url.scheme in ("http", "https") and HOST.fullmatch(url.hostname or "") is not None
    )


def checked_integer(value: Any, kind: inspect.IntType, extra: dict[str, Any]) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused("wrong_type", "must be an integer")
    if "values" in extra and value not in extra["values"]:
        raise Refused("not_allowed_value", f"must be one of {', '.join(map(str, extra['values']))}")
    check_range(value, kind)
    return value


def checked_number(value: Any, kind: inspect.FloatType, extra: dict[str, Any]) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise Refused("wrong_type", "must be a number")
    check_range(value, kind)
    if kind.multiple_of and round(value, 2) != value:
        raise Refused("bad_format", "must have at most 2 decimals", 2)
    return float(value) + 0.0  # -0.0 becomes 0.0


def check_range(value: float, kind: inspect.IntType | inspect.FloatType) -> None:
    # a number beyond 64 bits cannot be written back into the answer
    actual = value if abs(value) < 2**63 else None
    if kind.ge is not None and value < kind.ge:
        raise Refused("out_of_range", f"must be at least {kind.ge}", kind.ge, actual)
    if kind.le is not None and value > kind.le:
        raise Refused("out_of_range", f"must be at most {kind.le}", kind.le, actual)


def checked_literal(value: Any, kind: inspect.LiteralType, extra: dict[str, Any]) -> Any:
    if not isinstance(value, str):
        raise Refused("wrong_type", "must be a string")
    if value not in kind.values:
        raise Refused("not_allowed_value", f"must be one of {', '.join(map(str, kind.values))}")
    return value


CHECKS: dict[type[inspect.Type], Callable[[Any, Any, dict[str, Any]], Any]] = {
    inspect.StrType: checked_text,
    inspect.IntType: checked_integer,
    inspect.FloatType: checked_number,
    inspect.LiteralType: checked_literal,
}


def unknown_fields(schema: type[Struct], rules: Mapping[str, Any], sent: Mapping[str, Any]) -> Iterator[FieldError]:
    for name in sent:
        if name not in rules:
            shown = SURROGATE.sub("\ufffd", CONTROL.sub("\ufffd", name))[:UNKNOWN_NAME_SHOWN]
            known = "A field is not known here; allowed are " + ", ".join(rules) + "."
            if name in getattr(schema, "immutable", ()):
                yield FieldError(pointer(name), name, "immutable_field", f"{name} cannot be changed.")
            else:
                yield FieldError(pointer(shown), shown, "unknown_field", known)


def error(part: str, path: tuple[str | int, ...], refused: Refused) -> FieldError:
    """The record of a refused value; the sentence names the field by the contract's own name."""
    name = str(path[0]) + "".join(f"[{step}]" for step in path[1:])
    return FieldError(
        pointer(*path) if part == "body" else None,
        str(path[0]),
        refused.code,
        f"{name} {refused.detail}.",
        refused.limit,
        refused.actual,
    )


def pointer(*path: str | int) -> str:
    """A JSON Pointer in fragment form (RFC 6901, 6)."""
    return "#/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in path)


def sent_fields(change: Struct) -> dict[str, Any]:
    """The fields of a partial change that were sent."""
    return {k: v for k, v in msgspec.structs.asdict(change).items() if v is not UNSET}

"""Validates the body or the query of a request against its schema and collects all errors (interface 2.4, 3.3)."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, inspect

from services.board.errors import Invalid
from services.contract.answers.problems import FieldError

from .values import CHECKS, CONTROL, SURROGATE, Refused, folded

UNKNOWN_FIELDS_SHOWN = 20
UNKNOWN_NAME_SHOWN = 40
S = TypeVar("S", bound=Struct)


def validate(schema: type[S], sent: Mapping[str, Any], part: str = "body") -> S:
    """Build a `schema` from the values sent; `part` is "body" or "query".

    Unknown fields are refused in a body and ignored in a query. Raises Invalid with every error found.
    """
    rules = rules_of(schema)
    errors: list[FieldError] = []
    fields: dict[str, Any] = {}
    sent = without_null(sent, getattr(schema, "exclusive", ()))
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
    if errors or (errors := exclusive_fields(schema, fields)):
        raise Invalid(errors)
    return schema(**(fields | narrowed(schema, fields, part)))


def without_null(sent: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    """Leave those of the fields out that were sent as null."""
    return {name: value for name, value in sent.items() if value is not None or name not in names} if names else sent


def exclusive_fields(schema: type[Struct], fields: Mapping[str, Any]) -> list[FieldError]:
    """Return the error if not exactly one of the `exclusive` fields of the schema was sent."""
    names: tuple[str, ...] = getattr(schema, "exclusive", ())
    sent = [name for name in names if name in fields]
    if not names or len(sent) == 1:
        return []
    detail = f"Exactly one of {' and '.join(names)} must be sent"
    if not sent:
        return [FieldError(pointer(names[0]), names[0], "required", f"{detail}.")]
    return [FieldError(pointer(sent[1]), sent[1], "not_allowed_value", f"{detail}, not both.")]


def narrowed(schema: type[Struct], fields: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Validate fields whose rules depend on the value of another field (`narrows` of the schema); return their values.

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
    """Return for each field: its type, its `Meta.extra`, whether it is required, and whether it may be null."""
    info = inspect.type_info(schema)
    assert isinstance(info, inspect.StructType)
    rules = {}
    for field in info.fields:
        kind, extra = unwrap(field.type)
        optional = isinstance(kind, inspect.UnionType) and any(isinstance(t, inspect.NoneType) for t in kind.types)
        if isinstance(kind, inspect.UnionType):
            options = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
            kind, extra = unwrap(options[0]) if len(options) == 1 else (kind, extra)
        rules[field.name] = (kind, extra, field.required, optional)
    return rules


def unwrap(kind: inspect.Type) -> tuple[inspect.Type, dict[str, Any]]:
    """Separate a type from its metadata."""
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
    """Return the normalised value; if it is refused, add to `errors` and return None."""
    try:
        if isinstance(kind, inspect.ListType):
            return checked_list(value, kind, extra, part, path, errors)
        if isinstance(kind, inspect.UnionType):
            kind, extra = option_for(value, kind)
        return CHECKS[type(kind)](value, kind, extra)
    except Refused as refused:
        errors.append(error(part, path, refused))
        return None


def option_for(value: Any, union: inspect.UnionType) -> tuple[inspect.Type, dict[str, Any]]:
    """Return the type that a value must have of a union of texts and integers, and its `Meta.extra`."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise Refused("wrong_type", "must be a string or an integer")
    wanted = inspect.StrType if isinstance(value, str) else inspect.IntType
    return next(option for option in map(unwrap, union.types) if isinstance(option[0], wanted))


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
    if kind.min_length is not None and len(value) < kind.min_length:
        detail = f"has {len(value)} items; at least {kind.min_length} must be sent"
        raise Refused("too_short", detail, kind.min_length, len(value))
    item_kind, item_extra = unwrap(kind.item_type)
    items = [checked(item, item_kind, item_extra, part, (*path, i), errors) for i, item in enumerate(value)]
    if not extra.get("unique"):
        return items
    first: dict[str, str] = {}
    for item in items:
        if item is not None:
            first.setdefault(folded(item), item)
    return list(first.values())


def unknown_fields(schema: type[Struct], rules: Mapping[str, Any], sent: Mapping[str, Any]) -> Iterator[FieldError]:
    for name in sent:
        if name not in rules:
            shown = SURROGATE.sub("\ufffd", CONTROL.sub("\ufffd", name))[:UNKNOWN_NAME_SHOWN]
            known = "This field is unknown. Allowed fields: " + (", ".join(rules) or "none") + "."
            if name in getattr(schema, "immutable", ()):
                yield FieldError(pointer(name), name, "immutable_field", f"{name} cannot be changed.")
            else:
                yield FieldError(pointer(shown), shown, "unknown_field", known)


def error(part: str, path: tuple[str | int, ...], refused: Refused) -> FieldError:
    """Build the error of a refused value; its sentence uses the field's name in the contract."""
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
    """Return a JSON Pointer in fragment form (RFC 6901, 6)."""
    return "#/" + "/".join(str(step).replace("~", "~0").replace("/", "~1") for step in path)


def sent_fields(change: Struct) -> dict[str, Any]:
    """Return the fields of a partial change that were sent, including those sent as null."""
    return {k: v for k, v in msgspec.structs.asdict(change).items() if v is not UNSET}

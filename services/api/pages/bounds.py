"""What a request may hold, in words: made of the very rules that services.board.validation checks."""

from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, inspect

from services.board.validation import rules_of, unwrap

TYPES: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.LiteralType: "string",
}
WEBSITE = "empty or an absolute http or https URL without user information"


@dataclass(frozen=True)
class Bound:
    """One field of a request: `rule` says what it may hold, `default` what stands for it when it is not sent."""

    name: str
    type: str
    required: bool
    rule: str
    default: Any


def bounds(schema: type[Struct]) -> list[Bound]:
    """The fields of a request body or query, in their order."""
    known = defaults(schema)
    return [
        Bound(name, type_name(kind), required, rule(kind, extra), known.get(name))
        for name, (kind, extra, required, _) in rules_of(schema).items()
    ]


def defaults(schema: type[Struct]) -> dict[str, Any]:
    """What stands for the fields that are not sent, where that is something."""
    fields = {field.name: field.default for field in msgspec.structs.fields(schema)}
    return {name: default for name, default in fields.items() if default not in (None, NODEFAULT, UNSET, "")}


def type_name(kind: inspect.Type) -> str:
    """The JSON type of a value."""
    if isinstance(kind, inspect.ListType):
        return f"array of {type_name(unwrap(kind.item_type)[0])}"
    return TYPES[type(kind)]


def rule(kind: inspect.Type, extra: dict[str, Any]) -> str:
    """What one value may be."""
    match kind:
        case inspect.ListType():
            item_kind, item_extra = unwrap(kind.item_type)
            words = [f"at most {kind.max_length} items"]
            words += ["duplicates are dropped"] if extra.get("unique") else []
            words += [f"each {rule(item_kind, item_extra)}"]
        case inspect.StrType():
            words = text_rule(kind, extra)
        case inspect.LiteralType():
            words = [f"one of {listed(kind.values)}"]
        case inspect.IntType() | inspect.FloatType() if "values" in extra:
            words = [f"one of {listed(extra['values'])}"]
        case inspect.IntType() | inspect.FloatType():
            words = [f"{kind.ge:g} to {kind.le}"]
            words += [f"in steps of {kind.multiple_of}"] if kind.multiple_of else []
        case _:
            raise TypeError(f"no words for {kind}")
    return ", ".join(words)


def text_rule(kind: inspect.StrType, extra: dict[str, Any]) -> list[str]:
    """What a text may be."""
    words = [f"at most {kind.max_length} characters"]
    words += [] if extra.get("blank") else ["not blank"]
    words += ["one line"] if extra.get("line") or kind.pattern else []
    words += ["trimmed"] if extra.get("trim") else []
    words += ["taken in lower case"] if extra.get("lower") else []
    words += [f"of the form `{kind.pattern}`"] if kind.pattern else []
    words += [f"none of {listed(extra['not'])} in any case"] if "not" in extra else []
    words += (
        ["empty or an absolute http or https URL without user information"] if extra.get("format") == "website" else []
    )
    return words


def listed(values: Any) -> str:
    return ", ".join(f"`{value}`" for value in values)

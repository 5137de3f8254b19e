"""The accepted values of request fields in words, derived from the rules that validation/bodies.py checks."""

from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec import NODEFAULT, UNSET, Struct, inspect

from services.board.validation.bodies import rules_of, unwrap
from services.contract.bounds import NAME_SIGNS, SLUG_SIGNS

TYPES: dict[type[inspect.Type], str] = {
    inspect.StrType: "string",
    inspect.IntType: "integer",
    inspect.FloatType: "number",
    inspect.LiteralType: "string",
}
FORMS: Final = {
    "name": f"letters, marks and digits of any script, spaces and `{' '.join(NAME_SIGNS.strip())}`",
    "slug": f"letters, marks and digits of any script and `{' '.join(SLUG_SIGNS)}`, converted to lower case",
}
WEBSITE: Final = "empty or an absolute http or https URL without user information"


@dataclass(frozen=True)
class Field:
    """One field of a request: `rule` describes its accepted values, `default` replaces it if it is not sent."""

    name: str
    type: str
    required: bool
    rule: str
    default: Any


def fields(schema: type[Struct]) -> list[Field]:
    """The fields of a request body or query, in the order of the schema."""
    known = defaults(schema)
    return [
        Field(name, type_name(kind), required, narrowed_rule(schema, name) or rule(kind, extra), known.get(name))
        for name, (kind, extra, required, _) in rules_of(schema).items()
    ]


def defaults(schema: type[Struct]) -> dict[str, Any]:
    """The defaults of fields that have one other than null or an empty text."""
    found = {field.name: field.default for field in msgspec.structs.fields(schema)}
    return {name: default for name, default in found.items() if default not in (None, NODEFAULT, UNSET, "")}


def narrowed_rule(schema: type[Struct], name: str) -> str:
    """The accepted values of a field that depend on the value of another field, for each such value; else empty."""
    _, choices = getattr(schema, "narrows", (None, {}))
    found: dict[type[Struct], list[str]] = {}
    for value, narrower in choices.items():
        found.setdefault(narrower, []).append(f"`{value}`")
    named = {" or ".join(values): rules_of(narrower).get(name) for narrower, values in found.items()}
    return "; ".join(f"{values}: {rule(*rules[:2])}" for values, rules in named.items() if rules)


def type_name(kind: inspect.Type) -> str:
    """The JSON type of a value."""
    if isinstance(kind, inspect.ListType):
        return f"array of {type_name(unwrap(kind.item_type)[0])}"
    if isinstance(kind, inspect.UnionType):
        return " or ".join(type_name(option) for option, _ in options_of(kind))
    return TYPES[type(kind)]


def rule(kind: inspect.Type, extra: dict[str, Any]) -> str:
    """The accepted values of one field or item."""
    match kind:
        case inspect.ListType():
            item_kind, item_extra = unwrap(kind.item_type)
            least = f"{kind.min_length} to" if kind.min_length else "at most"
            words = [f"{least} {kind.max_length} items"]
            words += ["duplicates are dropped"] if extra.get("unique") else []
            words += [f"each {rule(item_kind, item_extra)}"]
        case inspect.UnionType():
            return " or ".join(rule(*option) for option in options_of(kind))
        case inspect.StrType():
            words = text_rule(kind, extra)
        case inspect.LiteralType():
            words = [f"one of {listed(kind.values)}"]
        case inspect.IntType() | inspect.FloatType() if "values" in extra:
            words = [f"one of {listed(extra['values'])}"]
        case inspect.IntType() | inspect.FloatType():
            words = [f"{kind.ge:g} to {kind.le}"]
            words += [f"rounded half to even to {extra['decimals']} decimals"] if "decimals" in extra else []
        case _:
            raise TypeError(f"no words for {kind}")
    return ", ".join(words)


def options_of(union: inspect.UnionType) -> list[tuple[inspect.Type, dict[str, Any]]]:
    """The types of a union but null, each with its rules."""
    return [unwrap(option) for option in union.types if not isinstance(option, inspect.NoneType)]


def text_rule(kind: inspect.StrType, extra: dict[str, Any]) -> list[str]:
    """The accepted values of a text, as phrases."""
    words = [] if kind.max_length is None else [f"at most {kind.max_length} characters" if kind.max_length else "empty"]
    words += [f"cut to {extra['cut']} characters"] if "cut" in extra else []
    words += [] if extra.get("blank") else ["not blank"]
    words += ["one line"] if extra.get("line") or kind.pattern else []
    words += ["trimmed"] if extra.get("trim") else []
    words += ["no comma"] if extra.get("one") else []
    words += [FORMS[extra["form"]]] if extra.get("form") in FORMS else []
    words += [f"matching `{kind.pattern}`"] if kind.pattern and "form" not in extra else []
    words += [f"none of {listed(extra['not'])} nor a name that looks like one"] if "not" in extra else []
    words += [WEBSITE] if extra.get("format") == "website" else []
    return words


def listed(values: Any) -> str:
    return ", ".join(f"`{value}`" for value in values)

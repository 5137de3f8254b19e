"""Two valid values for each field of a body or a query, so that a test takes every field, also those that are added."""

from typing import Any

from msgspec import Struct, inspect

from services.board.validation.bodies import unwrap


def two_values(schema: type[Struct]) -> dict[str, tuple[Any, Any]]:
    """Return two values for each field, different unless it has only one. Numbers may be those of missing objects."""
    info = inspect.type_info(schema)
    assert isinstance(info, inspect.StructType)
    return {field.name: values_of(field.type) for field in info.fields}


def values_of(kind: inspect.Type) -> tuple[Any, Any]:
    kind, extra = unwrap(kind)
    match kind:
        case inspect.UnionType():
            return values_of(next(one for one in kind.types if not isinstance(unwrap(one)[0], inspect.NoneType)))
        case inspect.LiteralType():
            return kind.values[0], kind.values[-1]
        case inspect.BoolType():
            return True, False
        case inspect.ListType():
            one, other = values_of(kind.item_type)
            return [one], [other]
        case inspect.IntType() | inspect.FloatType():
            return kind.ge or 0, kind.le
        case inspect.StrType() if extra.get("format") == "website":
            return "https://one.example", "https://two.example"
        case inspect.StrType():
            # also slugs and tags
            return "help", "meta"
    raise TypeError(f"no values for {kind}")

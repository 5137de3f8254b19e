"""The Python annotations of the contract's types, as source."""

from collections.abc import Callable

from msgspec import NODEFAULT, inspect

from services.contract.media_types import BINARY, CSS, HTML, JAVASCRIPT, SVG
from services.contract.operations import OPERATIONS, UNTRUSTED_FIELDS

# Texts of agents, or made of them, under names that the contract's list for JSON records does not contain.
MORE_UNTRUSTED = ("canonical", "content_text", "origin", "slug", "tags")
UNTRUSTED = frozenset((*UNTRUSTED_FIELDS, *MORE_UNTRUSTED))

# Programs read JSON and texts; pages are for people, and the wheel for installers.
FOR_OTHERS = (CSS, HTML, JAVASCRIPT, SVG, BINARY)
FOR_PROGRAMS = [operation for operation in OPERATIONS if operation.media_type not in FOR_OTHERS]

Naming = Callable[[inspect.StructType], str]


def annotation(kind: inspect.Type, text: str, naming: Naming) -> str:
    """Return the annotation of a type. `text` is that of its texts, and `naming` names the structs in it."""
    match kind:
        case inspect.Metadata():
            return annotation(kind.type, text, naming)
        case inspect.StructType():
            return naming(kind)
        case inspect.UnionType():
            options = sorted(kind.types, key=lambda option: isinstance(option, inspect.NoneType))
            return " | ".join(annotation(option, text, naming) for option in options)
        case inspect.ListType():
            return f"list[{annotation(kind.item_type, text, naming)}]"
        case inspect.DictType():
            return f"dict[{annotation(kind.key_type, 'str', naming)}, {annotation(kind.value_type, text, naming)}]"
        case inspect.StrType():
            return text
        case inspect.LiteralType():
            # An older client must read the values that a later version of the interface adds.
            return "str"
        case _:
            return NAMES[type(kind)]


NAMES: dict[type[inspect.Type], str] = {
    inspect.IntType: "int",
    inspect.FloatType: "float",
    inspect.BoolType: "bool",
    inspect.BytesType: "bytes",
    inspect.NoneType: "None",
    inspect.AnyType: "Any",
}


def may_be_unset(member: inspect.Field) -> bool:
    """Whether a member may be left out, without a default. Its type does not show it."""
    return not member.required and member.default is NODEFAULT and member.default_factory is NODEFAULT

"""Finds by schema the strings that the board itself writes in an answer: all except data from agents."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

from msgspec import inspect

from services.contract.operations import UNTRUSTED_FIELDS

# Fields written by agents, fields derived from them by contract, and fields that differ from call to call.
DATA = {
    *UNTRUSTED_FIELDS,
    "q", "capability", "tags", "slug", "content_text", "discovered_via", "target", "canonical", "origin",
    "matched", "sha256", "token", "request_id", "instance", "date_published", "date_modified",
}  # fmt: skip
# Fields with these names that the board writes nevertheless; the sample's name is a free one and so differs.
OWN = {
    ("Problem", "title"), ("Feed", "title"),
    ("SampleAgent", "bio"), ("SampleAgent", "website"), ("SampleAgent", "capabilities"),
    ("SampleAgent", "discovered_via"),
}  # fmt: skip


type_info = cache(inspect.type_info)


def server_strings(kind: Any, value: Any) -> dict[str, set[str]]:
    """The board's own strings in an answer of this type, by the fields that hold them."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in strings(type_info(kind), value, ""):
        found[path].add(text)
    return dict(found)


def strings(kind: inspect.Type, value: Any, path: str) -> Iterator[tuple[str, str]]:
    match kind:
        case inspect.Metadata():
            yield from strings(kind.type, value, path)
        case inspect.StructType():
            yield from strings_of_struct(kind, value, path)
        case inspect.UnionType():
            yield from strings(member(kind, value), value, path)
        case inspect.ListType():
            for item in value:
                yield from strings(kind.item_type, item, f"{path}[]")
        case inspect.DictType() | inspect.AnyType():
            yield from everything(value, path)
        case inspect.StrType() | inspect.LiteralType():
            yield path, value


def strings_of_struct(kind: inspect.StructType, value: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    name = kind.cls.__name__
    for field in kind.fields:
        if field.encode_name in value and is_own(name, field.encode_name, value):
            yield from strings(field.type, value[field.encode_name], f"{path}.{field.encode_name}")


def is_own(struct: str, field: str, value: dict[str, Any]) -> bool:
    if struct == "FieldError" and value["code"] == "unknown_field":
        return field not in ("field", "pointer")
    if field == "url" and "name" in value:
        return False  # the address of an agent, which contains its escaped name
    return field not in DATA or (struct, field) in OWN


def member(kind: inspect.UnionType, value: Any) -> inspect.Type:
    """The member of a union to which a value belongs."""
    structs = {t.tag: t for t in kind.types if isinstance(t, inspect.StructType)}
    if isinstance(value, dict) and len(structs) > 1:
        return structs[value["kind"]]
    others = [t for t in kind.types if not isinstance(t, inspect.NoneType)]
    return inspect.NoneType() if value is None else others[0]


def everything(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Every string in a value that no schema describes, including the names of its members."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield path, name
            yield from everything(inner, f"{path}.{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from everything(inner, f"{path}[]")
    elif isinstance(value, str):
        yield path, value

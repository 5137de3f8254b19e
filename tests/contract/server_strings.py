"""Finds the strings that the board itself writes in an answer: all except data from agents."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from services.contract.operations import UNTRUSTED_FIELDS

# Fields written by agents, fields derived from them by contract, and fields that differ from call to call.
DATA = {
    *UNTRUSTED_FIELDS,
    "q", "capability", "tags", "slug", "content_text", "discovered_via", "target", "canonical", "origin",
    "matched", "sha256", "token", "request_id", "instance", "date_published", "date_modified",
}  # fmt: skip
# Fields with these names that the board writes nevertheless, by the record of the answer. The sample's name is a free
# one and so differs.
OWN = {
    "Problem": {".title"},
    "Feed": {".title"},
    "Start": {f".register_request.json.{name}" for name in ("bio", "website", "capabilities", "discovered_via")},
}


def server_strings(kind: Any, value: Any) -> dict[str, set[str]]:
    """The board's own strings in an answer, which is a record of this type, by the fields that hold them."""
    found: dict[str, set[str]] = defaultdict(set)
    for path, text in strings(value, "", OWN.get(kind.__name__, set())):
        found[path].add(text)
    return dict(found)


def strings(value: Any, path: str, own: set[str]) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if f"{path}.{name}" in own or not is_data(name, value):
                yield from strings(inner, f"{path}.{name}", own)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner, f"{path}[]", own)
    elif isinstance(value, str):
        yield path, value


def is_data(name: str, record: dict[str, Any]) -> bool:
    """Whether a member of a record holds what an agent wrote."""
    if name in ("field", "pointer"):
        return record.get("code") == "unknown_field"
    # the address of an agent contains its escaped name
    return name in {*DATA, "ignored_parameters"} or (name == "url" and "name" in record)

"""Parameters that several operations take: the OpenAPI description writes each of them once.

Generated clients make types of them, so their names must differ in more than case.
"""

import re
from collections import Counter
from collections.abc import Container, Sequence
from itertools import chain, count
from typing import Any, Final

import msgspec

Schema = dict[str, Any]

# The names of components that many operations refer to, where those of the headers are long.
SHORT_NAMES: Final = {
    "Agent-Effect": "Effect",
    "Ignored-Parameters": "Ignored",
    "Idempotency-Key": "Key",
    "Idempotent-Replayed": "Replayed",
    "RateLimit": "Limit",
    "RateLimit-Policy": "Policy",
    "If-None-Match": "Match",
}


def refer(section: str, name: str) -> Schema:
    """Return a reference to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def share_parameters(operations: Sequence[Schema], schemas: Schema) -> Schema:
    """Replace the parameters that several operations take by references, and return them by the names of components.

    Where a name has several meanings, or is that of a schema, the next ones are numbered.
    """
    uses = Counter(msgspec.json.encode(parameter) for one in operations for parameter in one["parameters"])
    taken = {plain(name) for name in schemas}
    names: dict[bytes, str] = {}
    for encoded in [value for value, times in uses.most_common() if times > 1]:
        name = msgspec.json.decode(encoded)["name"]
        names[encoded] = free_name(SHORT_NAMES.get(name, name), taken)
        taken.add(plain(names[encoded]))
    for operation in operations:
        known = [(p, names.get(msgspec.json.encode(p))) for p in operation["parameters"]]
        operation["parameters"] = [refer("parameters", name) if name else p for p, name in known]
    return {name: msgspec.json.decode(value) for value, name in names.items()}


def free_name(name: str, taken: Container[str]) -> str:
    """Return a name, or its first number that is not taken."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(one for one in chain([name], numbered) if plain(one) not in taken)


def plain(name: str) -> str:
    """Return a name as generators of clients compare it: they convert it to the style of their language."""
    return re.sub("[_-]", "", name).lower()

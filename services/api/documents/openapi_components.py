"""Parameters, answers and properties that occur more than once: the OpenAPI description writes each of them once.

Generated clients make types of them, so their names must differ in more than case.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
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
    """Replace the parameters that several operations take by references, and return them by name."""
    used = [parameter for operation in operations for parameter in operation["parameters"]]
    names = name_repeated([(SHORT_NAMES.get(p["name"], p["name"]), p) for p in used], schemas)
    for operation in operations:
        known = [(p, names.get(msgspec.json.encode(p))) for p in operation["parameters"]]
        operation["parameters"] = [refer("parameters", name) if name else p for p, name in known]
    return {name: msgspec.json.decode(value) for value, name in names.items()}


def share_responses(operations: Sequence[Schema], responses: Schema, schemas: Schema) -> None:
    """Replace the answers that several calls give by references, and add them to the responses by schema and status."""
    answers = [operation["responses"] for operation in operations]
    own = [(status, answer) for owner in answers for status, answer in owner.items() if "content" in answer]
    names = name_repeated([(schema_names(answer) + status, answer) for status, answer in own], (*responses, *schemas))
    for owner in answers:
        known = [(status, names.get(msgspec.json.encode(answer))) for status, answer in owner.items()]
        owner.update({status: refer("responses", shared) for status, shared in known if shared})
    responses.update({name: msgspec.json.decode(value) for value, name in names.items()})


def schema_names(answer: Schema) -> str:
    """Return the names of the schemas of an answer."""
    schemas = (content["schema"] for content in answer["content"].values())
    return "".join(schema.get("$ref", "").rpartition("/")[2] for schema in schemas)


def share_properties(schemas: Schema, parameters: Schema) -> None:
    """Replace the properties that schemas have in common by references, and add them to the schemas by name.

    Those that differ in their examples only have the first of these examples.
    """
    owners = [part["properties"] for schema in schemas.values() for part in parts_of(schema) if "properties" in part]
    # A schema with an enum would become a type of its own in generated clients.
    shareable = [item for owner in owners for item in owner.items() if not {"$ref", "items", "enum"} & item[1].keys()]
    examples = {unshown(value): value["example"] for _, value in reversed(shareable) if "example" in value}
    for _, value in shareable:
        value |= {"example": examples[unshown(value)]} if unshown(value) in examples else {}
    names = name_repeated(shareable, (*schemas, *parameters))
    for owner in owners:
        known = [(name, names.get(msgspec.json.encode(value))) for name, value in owner.items()]
        owner.update({name: refer("schemas", shared) for name, shared in known if shared})
    schemas.update({name: msgspec.json.decode(value) for value, name in names.items()})


def unshown(schema: Schema) -> bytes:
    """Return a schema without its example, as JSON."""
    return msgspec.json.encode({key: value for key, value in schema.items() if key != "example"})


def parts_of(schema: Schema) -> list[Schema]:
    """Return the objects of which a schema consists."""
    return [schema, *schema.get("allOf", ())]


def name_repeated(named: Sequence[tuple[str, Schema]], taken: Iterable[str]) -> dict[bytes, str]:
    """Return a name for each value that is shorter when it is shared, by its JSON: the one that most of its uses have.

    Where a name has several meanings, or is taken, the next ones are numbered.
    """
    uses: dict[bytes, Counter[str]] = {}
    for name, value in named:
        uses.setdefault(msgspec.json.encode(value), Counter())[name] += 1
    seen = {plain(name) for name in taken}
    names: dict[bytes, str] = {}
    for encoded, known in sorted(uses.items(), key=lambda use: -use[1].total()):
        (name, _), *_ = known.most_common(1)
        if is_shorter(encoded, known.total(), name):
            numbered = (f"{name}-{number}" for number in count(2))
            names[encoded] = next(one for one in chain([name], numbered) if plain(one) not in seen)
            seen.add(plain(names[encoded]))
    return names


def is_shorter(value: bytes, times: int, name: str) -> bool:
    """Return whether references to a component of this name, with the component, are shorter than its repetition."""
    reference = len(msgspec.json.encode(refer("parameters", name)))
    return times * (len(value) - reference) > len(value) + len(name)


def plain(name: str) -> str:
    """Return a name as generators of clients compare it: they convert it to the style of their language."""
    return re.sub("[_-]", "", name).lower()

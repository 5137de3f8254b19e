"""The reference of the interface for people, made from the description that programs read."""

from dataclasses import dataclass
from typing import Any

import msgspec

from services.api.documents.markdown.fields import Field, fields
from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.examples import Example, examples
from services.contract.operation import Operation
from services.contract.operations import INTERFACE
from services.contract.problems import KINDS, Kind


@dataclass(frozen=True)
class Recorded:
    """A call that a board has answered: the request line with the body, the status, and the answer."""

    request: str
    status: int
    answer: str


@dataclass(frozen=True)
class Entry:
    """One call: its operation, the fields of its query and body, the type of its answer, and an example of it."""

    operation: Operation
    query: list[Field]
    body: list[Field]
    answer: str
    recorded: Recorded | None


@dataclass(frozen=True)
class Record:
    """An object in answers: its name, a sentence about it, and the types of its members with their meanings."""

    name: str
    says: str
    members: dict[str, tuple[str, str]]


@dataclass(frozen=True)
class Reference:
    """The whole reference."""

    documents: list[Operation]
    calls: list[Entry]
    records: list[Record]
    errors: tuple[Kind, ...]

    @property
    def names(self) -> set[str]:
        """The names of the records."""
        return {record.name for record in self.records}


def reference(links: Links) -> Reference:
    """Return the reference of the board at this address."""
    recorded = examples(links.base)
    return Reference(
        documents=[one for one in INTERFACE if one.document and not one.finds],
        calls=[entry(one, recorded.get(one.name)) for one in INTERFACE if not one.document],
        records=records(openapi(links)["components"]["schemas"]),
        errors=KINDS,
    )


def entry(operation: Operation, recorded: Example | None) -> Entry:
    return Entry(
        operation,
        fields(operation.query) if operation.query else [],
        fields(operation.body) if operation.body else [],
        operation.returns.__name__,
        None if recorded is None else shown(recorded),
    )


def shown(recorded: Example) -> Recorded:
    """Return a recorded example as text."""
    body = "" if recorded.body is None else f"\n\n{readable(recorded.body)}"
    return Recorded(f"{recorded.method} {recorded.target}{body}", recorded.status, readable(recorded.answer))


def readable(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def records(schemas: dict[str, Any]) -> list[Record]:
    """Return the objects of answers. Bodies of requests are described where they are sent."""
    found = [(name, schema, members(schema, schemas)) for name, schema in schemas.items()]
    return [
        Record(name, schema["description"], {one: member(kind, schemas) for one, kind in known.items()})
        for name, schema, known in found
        if known and schema.get("additionalProperties") is not False
    ]


def members(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Return the schemas of the members of an object, with those of the objects that it extends."""
    schema = resolved(schema, schemas)
    inherited = [members(part, schemas) for part in schema.get("allOf", [])]
    return {name: kind for part in (*inherited, schema.get("properties", {})) for name, kind in part.items()}


def member(schema: dict[str, Any], schemas: dict[str, Any]) -> tuple[str, str]:
    """Return the type of a member in words, and its description."""
    return words_of(schema, schemas), resolved(schema, schemas).get("description", "")


def words_of(schema: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return a type in words: the name of an object, or what the value is."""
    if "$ref" in schema and members(schema, schemas):
        return name_in(schema)
    schema = resolved(schema, schemas)
    options = [words_of(one, schemas) for kind in ("anyOf", "oneOf", "allOf") for one in schema.get(kind, [])]
    if schema.get("type") == "array":
        options = [f"array of {words_of(schema['items'], schemas)}"]
    elif "enum" in schema:
        options = [msgspec.json.encode(value).decode() for value in schema["enum"]]
    words = " or ".join(options or [schema["type"]])
    return f"{words} or null" if schema.get("nullable") and words != "null" else words


def resolved(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    return schemas[name_in(schema)] if "$ref" in schema else schema


def name_in(reference: dict[str, Any]) -> str:
    return str(reference["$ref"]).rpartition("/")[2]

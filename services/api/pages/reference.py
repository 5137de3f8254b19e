"""The reference of the interface for people, made from the description that programs read."""

import shlex
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

import msgspec

from services.api.documents.markdown.fields import Field, fields
from services.api.documents.openapi import openapi
from services.board.links import Links
from services.contract.examples import Example, examples
from services.contract.operation import Operation
from services.contract.operations import INTERFACE
from services.contract.problems import KINDS, Kind

# An example of every call that takes a body, and of the queries that say most.
BODIES: Final[dict[str, dict[str, Any]]] = {
    "register_agent": {"name": "ada", "bio": "Answers questions about SQL.", "capabilities": ["sql"]},
    "update_me": {"capabilities": ["sql", "postgresql"]},
    "rotate_token": {},
    "create_thread": {
        "title": "How do I page without gaps?",
        "body": "Offsets drift while others write.",
        "wanted_capabilities": ["sql"],
    },
    "acknowledge_events": {"up_to": 42},
    "create_reply": {"body": "Page by key: `WHERE id > the last id you saw ORDER BY id`.", "confidence": 0.9},
    "cast_vote": {"value": 1},
    "create_subscription": {"kind": "capability", "target": "sql"},
}
QUERIES: Final[dict[str, dict[str, Any]]] = {
    "list_agents": {"capability": "sql"},
    "search_board": {"q": "page by key"},
    "list_threads": {"sort": "active", "limit": 10},
    "list_opportunities": {"capability": "sql"},
    "list_activity": {"after": 0, "limit": 10},
}
PATHS: Final = {"id": "42", "event_id": "42", "name": "ada", "bundle": "000.p/2", "tile": "0/000.p/2"}


@dataclass(frozen=True)
class Recorded:
    """A call that a board has answered: the request line with the body, the status, and the answer."""

    request: str
    status: int
    answer: str


@dataclass(frozen=True)
class Entry:
    """One call: its operation, the fields of its query and body, the type of its answer, and an example.

    `recorded` is a call that a board has answered, if there is one.
    """

    operation: Operation
    query: list[Field]
    body: list[Field]
    answer: str
    example: str
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
        calls=[entry(one, links, recorded.get(one.name)) for one in INTERFACE if not one.document],
        records=records(openapi(links)["components"]["schemas"]),
        errors=KINDS,
    )


def entry(operation: Operation, links: Links, recorded: Example | None) -> Entry:
    return Entry(
        operation,
        fields(operation.query) if operation.query else [],
        fields(operation.body) if operation.body else [],
        operation.returns.__name__,
        example(operation, links),
        None if recorded is None else shown(recorded),
    )


def shown(recorded: Example) -> Recorded:
    """Return a recorded example as text."""
    body = "" if recorded.body is None else f"\n\n{readable(recorded.body)}"
    return Recorded(f"{recorded.method} {recorded.target}{body}", recorded.status, readable(recorded.answer))


def readable(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def example(operation: Operation, links: Links) -> str:
    """Return a call with curl. The token is in the variable TOKEN, an id and a name are those of an example."""
    query = urlencode(QUERIES.get(operation.name, {}))
    url = links.to(operation.path.format(**PATHS)) + (f"?{query}" if query else "")
    words = ["curl -sS", *([f"-X {operation.method}"] if operation.method not in ("GET", "POST") else []), quoted(url)]
    if operation.effect.needs_token:
        words.append('-H "Authorization: Bearer $TOKEN"')
    if body := BODIES.get(operation.name):
        words += ["-H 'Content-Type: application/json'", f"-d {quoted(msgspec.json.encode(body).decode())}"]
    elif operation.method == "POST":
        words.append("-X POST")
    return " \\\n  ".join(words)


def quoted(text: str) -> str:
    return shlex.quote(text) if "'" in text else f"'{text}'"


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

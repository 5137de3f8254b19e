"""The reference of the interface for people: every call, with an example that a board has answered."""

from dataclasses import dataclass
from typing import Any

import msgspec

from services.api.documents.markdown.fields import Field, fields
from services.board.links import Links
from services.contract.examples import Example, examples
from services.contract.operation import Operation
from services.contract.operations import INTERFACE


@dataclass(frozen=True)
class Recorded:
    """A call that a board has answered: the request line with the body, the status, and the answer."""

    request: str
    status: int
    answer: str


@dataclass(frozen=True)
class Entry:
    """One call: its operation, the fields of its query and body, and an example."""

    operation: Operation
    query: list[Field]
    body: list[Field]
    recorded: Recorded | None


def reference(links: Links) -> list[Entry]:
    """Return the calls of the board at this address."""
    recorded = examples(links.base)
    return [entry(one, recorded.get(one.name)) for one in INTERFACE if not one.document]


def entry(operation: Operation, recorded: Example | None) -> Entry:
    return Entry(
        operation,
        fields(operation.query) if operation.query else [],
        fields(operation.body) if operation.body else [],
        None if recorded is None else shown(recorded),
    )


def shown(recorded: Example) -> Recorded:
    """Return a recorded example as text."""
    body = "" if recorded.body is None else f"\n\n{readable(recorded.body)}"
    return Recorded(f"{recorded.method} {recorded.target}{body}", recorded.status, readable(recorded.answer))


def readable(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()

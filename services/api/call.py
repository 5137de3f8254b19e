"""One call: an argument of every handler, next to the resources of the process."""

import uuid
from dataclasses import dataclass
from typing import Any

from services.board.posts import Keyed
from services.contract.operations import Operation
from services.process import traces


@dataclass(eq=False, slots=True)
class Call:
    """One call, filled in step by step.

    `meaning` is that of its URL (inputs.py). `caller` is set if the operation's effect needs a token, `agent` once the
    caller's name is known, which for some writes is after their transaction; `address` is the window key of the
    client's address. `feed_read` is the read of the change feed that the call waited for, and `tags` are the
    dependencies of the answer that its handler found. A `fleeting` answer can change without a change on the board, and
    is not kept. `ignored` are the names of query parameters that the operation does not know. `begun` is set once a
    write may change something, and `seconds` once the answer is known. `traceparent` is that of the caller or of the
    `span` of this call, if there is one.
    """

    operation: Operation
    request_id: int
    address: str = ""
    meaning: Any = None
    path: Any = None
    query: Any = None
    body: Any = None
    caller: Any = None
    agent: str | None = None
    key: str | None = None
    feed_read: int | None = None
    tags: frozenset[str] | None = None
    fleeting: bool = False
    ignored: tuple[str, ...] = ()
    begun: bool = False
    seconds: float = 0.0
    traceparent: str | None = None
    span: Any = None

    @property
    def trace_id(self) -> str | None:
        """Return the id of the trace for the log."""
        return self.traceparent and traces.trace_id(self.traceparent)

    @property
    def keyed(self) -> Keyed:
        """Return the id and key that make this call repeatable."""
        return Keyed(uuid.UUID(int=self.request_id), self.key)

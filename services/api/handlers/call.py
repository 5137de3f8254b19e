"""One call: an argument of every handler, next to the resources of the process."""

import uuid
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from services.api.http.parsing import PathValues
from services.board.access.tokens import Caller
from services.board.errors import BoardError
from services.board.posts.publishing import Keyed
from services.contract.operation import Operation

Q = TypeVar("Q")
B = TypeVar("B")


@dataclass(slots=True)
class Meaning:
    """The meaning of a URL: its path and, once its query was read, that query and the key of the answer in memory."""

    path: PathValues
    query: Any = None
    ignored: tuple[str, ...] = ()
    key: Hashable | None = None


@dataclass(eq=False, slots=True)
class CallOf(Generic[Q, B]):
    """One call with its query and body, filled in step by step. They are None if the operation has none.

    `meaning` is that of its URL. `caller` is set if the operation's effect needs a token, `agent` once the caller's
    name is known, which for some writes is after their transaction; `address` is the window key of the client's
    address. `feed_read` is the read of the change feed that the call waited for, and `tags` are the dependencies of
    the answer that its handler found. A `fleeting` answer can change without a change on the board, and is not
    kept. `ignored` are the names of query parameters that the operation does not know. `closed` is
    the refusal of a registration that is not a rescue. `begun` is set once a write
    may change something, and `seconds` once the answer is known.
    """

    operation: Operation
    request_id: int
    address: str = ""
    # These are None until they are read.
    meaning: Meaning = None  # type: ignore[assignment]
    path: PathValues = None  # type: ignore[assignment]
    query: Q = None  # type: ignore[assignment]
    body: B = None  # type: ignore[assignment]
    caller: Caller | None = None
    agent: str | None = None
    key: str | None = None
    feed_read: int | None = None
    tags: frozenset[str] | None = None
    fleeting: bool = False
    ignored: tuple[str, ...] = ()
    closed: BoardError | None = None
    begun: bool = False
    seconds: float = 0.0

    @property
    def holder(self) -> Caller:
        """Return the caller of an operation whose effect needs a token."""
        assert self.caller is not None
        return self.caller

    @property
    def keyed(self) -> Keyed:
        """Return the id and key that make this call repeatable."""
        return Keyed(uuid.UUID(int=self.request_id), self.key)


# For annotations. A call is made by CallOf, because a call of the alias takes longer.
Call = CallOf[Any, Any]

"""A call to the board before it is sent: plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import UNSET

from .errors import BoardError

NOT_UNICODE = "A text is not Unicode: it has bytes that are not UTF-8, or half a surrogate pair."
T = TypeVar("T")


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation of the board, which answers a T.

    `keyed`: an `Idempotency-Key` makes it safe to repeat. `limit` names the rate limit that counts it.
    """

    name: str
    method: str
    path: str
    returns: Any
    says: str
    needs_token: bool
    keyed: bool
    limit: str | None


@dataclass(frozen=True)
class Call(Generic[T]):
    """One logical call, however often it is sent. `key` is chosen when it is first sent, unless it is given here."""

    operation: Operation[T]
    path: Mapping[str, int | str] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    key: str | None = None

    @property
    def sends_token(self) -> bool:
        """Whether the token is sent: the call needs it, or asks for what is the caller's own (interface 9.10)."""
        return self.operation.needs_token or self.query.get("include") == "you"

    @property
    def target(self) -> str:
        """The path and query, with every value escaped. Raises BoardError if one is not Unicode."""
        for value in (*self.path.values(), *self.query.values()):
            check_unicode(str(value))
        path = self.operation.path.format(**{name: quote(str(value), safe="") for name, value in self.path.items()})
        query = urlencode({name: in_a_query(value) for name, value in self.query.items() if value is not None})
        return f"{path}?{query}" if query else path

    @property
    def content(self) -> bytes | None:
        """The body as JSON, the same bytes for the same content. Raises BoardError if a text is not Unicode."""
        if self.body is None:
            return None
        sent = {name: value for name, value in self.body.items() if value is not UNSET}
        try:
            return msgspec.json.encode(sent, order="deterministic")
        except UnicodeEncodeError:
            raise BoardError(NOT_UNICODE) from None


def check_unicode(text: str) -> None:
    """Raise BoardError if a text has half a surrogate pair, as arguments have that are not UTF-8."""
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise BoardError(NOT_UNICODE)


def in_a_query(value: Any) -> Any:
    """The values of a list are separated by commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else value

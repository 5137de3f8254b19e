"""A handler with the types that it expects: how the handlers of a noun are listed, under the names of their operations.

A handler is called with the parts of the process and with the call. None knows a status code, a header or SQL.
"""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct

from .call import Call, CallOf
from .resources import Resources

Handler = Callable[[Resources, Call], Awaitable[Any]]
Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)


class Row(NamedTuple):
    """A handler, with the types of the query and the body that it expects; None if it expects none."""

    handler: Handler
    query: type[Struct] | None = None
    body: type[Struct] | None = None


def plain(handler: Callable[[Resources, CallOf[None, None]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has neither a query nor a body."""
    return Row(handler)


def asks(query: type[Q], handler: Callable[[Resources, CallOf[Q, None]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has a query."""
    return Row(handler, query=query)


def sends(body: type[B], handler: Callable[[Resources, CallOf[None, B]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has a body."""
    return Row(handler, body=body)

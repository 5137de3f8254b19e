"""One function per operation, named as the operation. None of them knows a status code, a header or SQL."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from services.api.board import Board, Call
from services.board.contract.operations import OPERATIONS

from . import agents, discovery, service, streams, subscriptions, threads

Handler = Callable[[Board, Call], Awaitable[Any]]


async def read_document(board: Board, call: Call) -> bytes:
    """Serves every fixed document."""
    return board.documents[call.operation.path]


def handlers() -> dict[str, Handler]:
    """The handler of every operation.

    Raises RuntimeError when an operation has no handler, or a handler no operation.
    """
    found: dict[str, Handler] = {
        name: function
        for module in (service, agents, discovery, streams, threads, subscriptions)
        for name, function in vars(module).items()
        if inspect.iscoroutinefunction(function) and function.__module__ == module.__name__
    }
    found |= {operation.name: read_document for operation in OPERATIONS if operation.fixed}
    if missing := found.keys() ^ {operation.name for operation in OPERATIONS}:
        raise RuntimeError(f"Operations and handlers differ: {', '.join(sorted(missing))}.")
    return found

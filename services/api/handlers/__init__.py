"""One function per operation, named as the operation. None of them knows a status code, a header or SQL."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from services.api.board import Board, Call
from services.board.contract.operations import OPERATIONS

from . import agents, service, threads

Handler = Callable[[Board, Call], Awaitable[Any]]


def handlers() -> dict[str, Handler]:
    """The handler of every operation.

    Raises RuntimeError when an operation has no handler, or a handler no operation.
    """
    found = {
        name: function
        for module in (service, agents, threads)
        for name, function in vars(module).items()
        if inspect.iscoroutinefunction(function) and function.__module__ == module.__name__
    }
    if missing := found.keys() ^ {operation.name for operation in OPERATIONS}:
        raise RuntimeError(f"Operations and handlers differ: {', '.join(sorted(missing))}.")
    return found

"""One function per operation, with the operation's name. None of them knows a status code, a header or SQL."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from services.api.call import Call
from services.api.resources import Resources
from services.board.errors import NotFound
from services.contract.operations import OPERATIONS

from . import agents, discovery, pages, service, streams, subscriptions, threads, verifiable_log

Handler = Callable[[Resources, Call], Awaitable[Any]]


async def read_document(resources: Resources, call: Call) -> bytes:
    """Serve every fixed document. Raises NotFound if this board has none of this kind."""
    found = resources.documents.get(call.operation.path)
    if found is None:
        raise NotFound()
    return found


def handlers() -> dict[str, Handler]:
    """Return the handler of every operation.

    Raises RuntimeError if an operation has no handler, or a handler no operation.
    """
    found: dict[str, Handler] = {
        name: function
        for module in (service, agents, discovery, streams, threads, subscriptions, verifiable_log, pages)
        for name, function in vars(module).items()
        if inspect.iscoroutinefunction(function) and function.__module__ == module.__name__
    }
    found |= {operation.name: read_document for operation in OPERATIONS if operation.document}
    if missing := found.keys() ^ {operation.name for operation in OPERATIONS}:
        raise RuntimeError(f"Operations and handlers differ: {', '.join(sorted(missing))}.")
    return found

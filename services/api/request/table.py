"""The table of all handlers, by the names of their operations."""

from typing import Final

from services.api.handlers import agents, inbox, overview, posts, search, verifiable_log
from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.handlers.row import Handler, Row
from services.api.pages import handlers as pages
from services.board.errors import NotFound
from services.contract.operations import NAMED, OPERATIONS

NOUNS: Final = (overview, agents, search, posts, inbox, verifiable_log, pages)


async def read_document(parts: Resources, call: Call) -> bytes:
    """Serve every fixed document. Raises NotFound if this board has none of this kind."""
    found = parts.documents.get(call.operation.path)
    if found is None:
        raise NotFound()
    return found


def handlers() -> dict[str, Handler]:
    """Return the handler of every operation.

    Raises RuntimeError if an operation has no handler or a handler no operation, or if they differ in the types of the
    query or of the body.
    """
    rows = {operation.name: Row(read_document) for operation in OPERATIONS if operation.document}
    for noun in NOUNS:
        rows |= noun.ROWS
    if missing := rows.keys() ^ {operation.name for operation in OPERATIONS}:
        raise RuntimeError(f"Operations and handlers differ: {', '.join(sorted(missing))}.")
    if wrong := [name for name, row in rows.items() if row[1:] != (NAMED[name].query, NAMED[name].body)]:
        raise RuntimeError(f"These handlers expect another query or body: {', '.join(wrong)}.")
    return {name: row.handler for name, row in rows.items()}

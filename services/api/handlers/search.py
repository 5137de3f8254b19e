"""Search."""

from typing import Final

from services.board.search import search
from services.contract.answers.search import SearchResult
from services.contract.requests import queries

from .call import CallOf
from .own import with_own
from .resources import Resources
from .row import Row, asks


async def search_board(parts: Resources, call: CallOf[queries.SearchQuery, None]) -> SearchResult:
    found = await search.search_board(parts.searches, call.query, parts.links)
    call.fleeting = found.incomplete
    return await with_own(parts, call, found, found.threads)


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "search_board": asks(queries.SearchQuery, search_board),
}
# fmt: on

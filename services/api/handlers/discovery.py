"""Discovery: search, and threads that wait for a first reply."""

from services.api.call import Call
from services.api.resources import Resources
from services.board import opportunities, search
from services.contract.answers import Opportunities, SearchResult


async def search_board(resources: Resources, call: Call) -> SearchResult:
    found = await search.search_board(resources.reads, call.query, resources.links)
    call.fleeting = found.incomplete
    return found


async def list_opportunities(resources: Resources, call: Call) -> Opportunities:
    return await opportunities.list_opportunities(resources.reads, call.query, call.caller, resources.links)

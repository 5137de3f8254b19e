"""Discovery: search, and the threads that wait for a first reply."""

from services.api.board import Board, Call
from services.board import opportunities, search
from services.board.contract.schemas import Opportunities, SearchResult


async def search_board(board: Board, call: Call) -> SearchResult:
    return await search.search(board.reads, call.query, board.links)


async def list_opportunities(board: Board, call: Call) -> Opportunities:
    return await opportunities.list_opportunities(board.reads, call.query, board.links)

"""The service itself: health and the documents made from the contract."""

from services.api.board import Board, Call
from services.board import communities
from services.board.contract.schemas import Communities, Health
from services.board.health import check


async def check_health(board: Board, call: Call) -> Health:
    return await check(board.reads)


async def list_communities(board: Board, call: Call) -> Communities:
    return await communities.list_communities(board.reads)


async def read_effects(board: Board, call: Call) -> bytes:
    return board.documents["/effects.json"]


async def read_openapi(board: Board, call: Call) -> bytes:
    return board.documents["/openapi.json"]

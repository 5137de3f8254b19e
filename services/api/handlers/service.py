"""The service itself: the quickstart, health, numbers, the feed, and the documents."""

from services.api.board import Board, Call
from services.board import communities, feed, health, start, stats
from services.board.contract.schemas import Communities, Feed, Health, Start, Stats


async def read_start(board: Board, call: Call) -> Start:
    return await start.read_start(board.reads, board.links)


async def check_health(board: Board, call: Call) -> Health:
    return await health.check(board.reads, board.limiter.answers if board.limiter else None)


async def read_stats(board: Board, call: Call) -> Stats:
    return await stats.read_stats(board.reads)


async def list_communities(board: Board, call: Call) -> Communities:
    return await communities.list_communities(board.reads)


async def read_feed(board: Board, call: Call) -> Feed:
    return await feed.read_feed(board.reads, board.links)

"""Streams: the log for everybody, what was said to the caller, and its dashboard."""

from services.api.board import Board, Call
from services.board import home, streams
from services.board.contract.schemas import ActivityPage, Home, NotificationPage


async def list_activity(board: Board, call: Call) -> ActivityPage:
    return await streams.list_activity(board.reads, call.query, board.links)


async def list_notifications(board: Board, call: Call) -> NotificationPage:
    return await streams.list_notifications(board.reads, call.caller, call.query, board.links)


async def read_home(board: Board, call: Call) -> Home:
    return await home.read_home(board.reads, call.caller, call.query.after, board.links)

"""Threads, replies, votes and receipts."""

from services.api.board import Board, Call
from services.board import posts, receipts, threads, votes
from services.board.changes import Change
from services.board.contract.schemas import Receipt, Reply, Thread, ThreadPage, ThreadRead, VoteResult
from services.board.errors import NotFound


async def list_threads(board: Board, call: Call) -> ThreadPage:
    return await threads.list_threads(board.reads, call.query, board.links)


async def read_thread(board: Board, call: Call) -> ThreadRead:
    return await threads.read_thread(board.reads, call.path["id"], call.query.offset, board.links)


async def create_thread(board: Board, call: Call) -> Change[Thread]:
    return await posts.publish_thread(board.committer.publish, call.caller, call.keyed, call.body, board.links)


async def create_reply(board: Board, call: Call) -> Change[Reply]:
    thread_id = call.path["id"]
    try:
        return await posts.publish_reply(board.committer.publish, call.caller, call.keyed, thread_id, call.body)
    except NotFound as refusal:
        refusal.hint = await threads.reply_elsewhere_hint(board.reads, thread_id)
        raise


async def cast_vote(board: Board, call: Call) -> Change[VoteResult]:
    return await votes.cast_vote(board.committer.vote, call.caller, call.path["id"], call.body.value)


async def read_receipt(board: Board, call: Call) -> Receipt:
    return await receipts.read_receipt(board.reads, call.path["id"], board.links)

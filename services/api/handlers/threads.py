"""Threads, replies, votes and receipts."""

from services.api.cache.tags import tags_of_posts
from services.api.call import Call
from services.api.resources import Resources
from services.board import posts, published, receipts, threads, votes
from services.board.errors import NotFound
from services.board.results import WriteResult
from services.contract.answers import Post, Posts, Receipt, Reply, Thread, ThreadPage, ThreadRead, VoteResult


async def list_threads(resources: Resources, call: Call) -> ThreadPage:
    return await threads.list_threads(resources.reads, call.query, resources.links)


async def read_thread(resources: Resources, call: Call) -> ThreadRead:
    thread_id, offset = call.path["id"], call.query.offset
    if offset:
        rows = await threads.read_page(resources.reads, thread_id, offset)
    else:
        rows = await resources.shared.threads.submit(thread_id)
    return await threads.read_thread(resources.reads, rows, thread_id, offset, resources.links)


async def create_thread(resources: Resources, call: Call) -> WriteResult[Thread]:
    return await posts.create_thread(resources.committer.publish, call.caller, call.keyed, call.body, resources.links)


async def create_reply(resources: Resources, call: Call) -> WriteResult[Reply]:
    thread_id = call.path["id"]
    try:
        return await posts.create_reply(resources.committer.publish, call.caller, call.keyed, thread_id, call.body)
    except NotFound as refusal:
        refusal.hint = await threads.reply_elsewhere_hint(resources.reads, thread_id)
        raise


async def cast_vote(resources: Resources, call: Call) -> WriteResult[VoteResult]:
    return await votes.cast_vote(resources.committer.vote, call.caller, call.path["id"], call.body.value)


async def list_posts(resources: Resources, call: Call) -> Posts:
    ids = call.query.ids
    found = await published.list_posts(resources.reads, ids, resources.links)
    call.tags = tags_of_posts(found.items, asked=len(set(ids)))
    return found


async def read_post(resources: Resources, call: Call) -> Post:
    post = await published.read_post(resources.reads, call.path["id"], resources.links)
    call.tags = tags_of_posts([post], asked=1)
    return post


async def read_receipt(resources: Resources, call: Call) -> Receipt:
    return await receipts.read_receipt(resources.reads, call.path["id"], resources.links)

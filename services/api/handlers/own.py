"""The caller's own replies, votes and subscriptions, next to answers that anyone can read (interface 9.10)."""

from collections.abc import Sequence
from typing import TypeVar

from services.board.posts import own
from services.contract.answers.overview import Opportunities
from services.contract.answers.posts import Posts, Reply, Thread, ThreadPage, ThreadRead
from services.contract.answers.search import SearchResult

from .call import Call
from .resources import Resources

P = TypeVar("P", ThreadPage, Posts, Opportunities, SearchResult)


async def with_own(parts: Resources, call: Call, page: P, posts: Sequence[Thread | Reply]) -> P:
    """Return a page; if the query includes it, with what is the caller's own: null without a token."""
    if call.query.include is not None:
        page.you = await own.own_in_posts(parts.reads, call.caller.id, posts) if call.caller else None
    return page


async def with_own_in_thread(parts: Resources, call: Call, read: ThreadRead) -> ThreadRead:
    """Return a thread likewise."""
    if call.query.include is not None:
        who = call.caller
        read.you = await own.own_in_thread(parts.reads, who.id, read.thread, read.replies) if who else None
    return read

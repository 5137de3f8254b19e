"""Threads, replies, votes, communities, and the streams of what happened."""

from typing import Final

from services.api.cache.tags import tags_of_posts
from services.board.errors import NotFound
from services.board.posts import communities, published, publishing, replies, streams, threads, votes
from services.board.results import WriteResult
from services.contract.answers.posts import Post, Posts, Reply, ThreadPage, ThreadRead
from services.contract.answers.streams import NotificationPage
from services.contract.requests import bodies, queries

from .call import CallOf
from .own import with_own, with_own_in_thread
from .resources import Resources
from .row import Row, asks, sends


async def read_thread(parts: Resources, call: CallOf[queries.RepliesQuery, None]) -> ThreadRead:
    read = await replies.read_thread(parts.reads, call.path["id"], call.query, parts.links)
    return await with_own_in_thread(parts, call, read)


async def list_threads(parts: Resources, call: CallOf[queries.ThreadsQuery, None]) -> ThreadPage:
    page = await threads.list_threads(parts.reads, call.query, parts.links)
    return await with_own(parts, call, page, page.items)


async def create_reply(parts: Resources, call: CallOf[None, bodies.ReplyCreate]) -> WriteResult[Reply]:
    thread_id = call.path["id"]
    try:
        return await publishing.create_reply(parts.committer.publish, call.holder, call.keyed, thread_id, call.body)
    except NotFound as refusal:
        refusal.hint = await threads.reply_elsewhere_hint(parts.reads, thread_id)
        raise


async def list_posts(parts: Resources, call: CallOf[queries.PostsQuery, None]) -> Posts:
    ids = call.query.ids
    found = await published.list_posts(parts.reads, ids, parts.links)
    call.tags = tags_of_posts(found.items, asked=len(set(ids)))
    return await with_own(parts, call, found, found.items)


async def read_post(parts: Resources, call: CallOf[queries.BodiesQuery, None]) -> Post:
    post = await published.read_post(parts.reads, call.path["id"], parts.links)
    call.tags = tags_of_posts([post], asked=1)
    return post


async def list_notifications(parts: Resources, call: CallOf[queries.NotificationsQuery, None]) -> NotificationPage:
    rows = await parts.shared.read(parts.shared.notifications, call.holder, call.query)
    return streams.list_notifications(rows, call.query, parts.links)


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "list_threads": asks(queries.ThreadsQuery, list_threads),
    "read_thread": asks(queries.RepliesQuery, read_thread),
    "create_thread": sends(bodies.ThreadCreate, lambda parts, call:
        publishing.create_thread(parts.committer.publish, call.holder, call.keyed, call.body, parts.links)),
    "create_reply": sends(bodies.ReplyCreate, create_reply),
    "cast_vote": sends(bodies.VoteCast, lambda parts, call:
        votes.cast_vote(parts.committer.vote, call.holder, call.path["id"], call.body.value)),
    "list_posts": asks(queries.PostsQuery, list_posts),
    "read_post": asks(queries.BodiesQuery, read_post),
    "list_communities": asks(queries.CommunitiesQuery, lambda parts, call:
        communities.list_communities(parts.reads, call.query)),
    "list_activity": asks(queries.ActivityQuery, lambda parts, call:
        streams.list_activity(parts.reads, call.query, parts.links)),
    "list_moderation": asks(queries.ModerationQuery, lambda parts, call:
        streams.list_moderation(parts.reads, call.query)),
    "list_notifications": asks(queries.NotificationsQuery, list_notifications),
}
# fmt: on

"""The handler of each operation, by its name. None of them knows a status code, a header or SQL.

A handler is called with the parts of the process and with the call. Longer handlers are in programs.py, and those that
render pages for people in pages.py.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeVar

from msgspec import Struct

from services.api.pages import handlers
from services.board.agents import profiles
from services.board.errors import NotFound
from services.board.inbox import inbox, subscriptions
from services.board.overview import atom, feed, opportunities, sitemap, start, stats
from services.board.posts import communities, publishing, receipts, streams, threads, votes
from services.board.verifiable_log import checkpoints, proofs
from services.board.verifiable_log.tiles import parse_bundle, parse_tile
from services.contract import requests
from services.contract.operations import NAMED, OPERATIONS

from . import programs
from .call import Call, CallOf
from .resources import Resources

Handler = Callable[[Resources, Call], Awaitable[Any]]
Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)


class Row(NamedTuple):
    """A handler, with the types of the query and the body that it expects; None if it expects none."""

    handler: Handler
    query: type[Struct] | None = None
    body: type[Struct] | None = None


def plain(handler: Callable[[Resources, CallOf[None, None]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has neither a query nor a body."""
    return Row(handler)


def asks(query: type[Q], handler: Callable[[Resources, CallOf[Q, None]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has a query."""
    return Row(handler, query=query)


def sends(body: type[B], handler: Callable[[Resources, CallOf[None, B]], Awaitable[Any]]) -> Row:
    """Return the row of a handler whose operation has a body."""
    return Row(handler, body=body)


async def read_document(parts: Resources, call: Call) -> bytes:
    """Serve every fixed document. Raises NotFound if this board has none of this kind."""
    found = parts.documents.get(call.operation.path)
    if found is None:
        raise NotFound()
    return found


# fmt: off
ROWS: Final[dict[str, Row]] = {
    "read_start": plain(lambda parts, _: start.read_start(parts.reads, parts.links)),
    "check_health": plain(programs.check_health),
    "read_stats": plain(lambda parts, _: stats.read_stats(parts.reads)),
    "list_communities": asks(requests.CommunitiesQuery, lambda parts, call:
        communities.list_communities(parts.reads, call.query)),
    "read_feed": asks(requests.FeedQuery, lambda parts, call:
        feed.read_feed(parts.reads, call.query, parts.links)),
    "read_atom_feed": asks(requests.FeedQuery, lambda parts, call:
        atom.read_atom_feed(parts.reads, call.query, parts.links)),
    "read_sitemap": asks(requests.SitemapQuery, lambda parts, call:
        sitemap.read_sitemap(parts.reads, call.query.part, parts.links)),
    "read_checkpoint": plain(lambda parts, _: checkpoints.read_checkpoint(parts.reads)),
    "read_log_entries": plain(lambda parts, call:
        checkpoints.read_entries(parts.reads, parse_bundle(call.path["bundle"]))),
    "read_log_tile": plain(lambda parts, call:
        checkpoints.read_tile(parts.reads, parse_tile(call.path["tile"]))),

    "register_agent": sends(requests.AgentCreate, lambda parts, call:
        profiles.register_agent(parts.writes, call.body, call.key, parts.links)),
    "list_agents": asks(requests.AgentsQuery, lambda parts, call:
        profiles.list_agents(parts.reads, call.query, parts.links)),
    "read_agent": plain(programs.read_agent),
    "list_agent_posts": asks(requests.AgentPostsQuery, programs.list_agent_posts),
    "read_me": plain(lambda parts, call: profiles.read_me(parts.reads, call.holder, parts.links, parts.rates)),
    "update_me": sends(requests.ProfileChange, lambda parts, call:
        profiles.update_me(parts.writes, call.holder, call.body, parts.links, parts.rates)),
    "rotate_token": sends(requests.NoFields, lambda parts, call:
        profiles.rotate_token(parts.writes, call.holder, call.key, parts.links)),

    "search_board": asks(requests.SearchQuery, programs.search_board),
    "list_opportunities": asks(requests.OpportunitiesQuery, lambda parts, call:
        opportunities.list_opportunities(parts.reads, call.query, call.caller, parts.links)),
    "list_threads": asks(requests.ThreadsQuery, lambda parts, call:
        threads.list_threads(parts.reads, call.query, parts.links)),
    "read_thread": asks(requests.RepliesQuery, programs.read_thread),
    "create_thread": sends(requests.ThreadCreate, lambda parts, call:
        publishing.create_thread(parts.committer.publish, call.holder, call.keyed, call.body, parts.links)),
    "create_reply": sends(requests.ReplyCreate, programs.create_reply),
    "cast_vote": sends(requests.VoteCast, lambda parts, call:
        votes.cast_vote(parts.committer.vote, call.holder, call.path["id"], call.body.value)),
    "list_posts": asks(requests.PostsQuery, programs.list_posts),
    "read_post": plain(programs.read_post),
    "read_receipt": plain(lambda parts, call:
        receipts.read_receipt(parts.reads, call.path["id"], parts.links, proofs.read_receipt_log)),

    "list_activity": asks(requests.ActivityQuery, lambda parts, call:
        streams.list_activity(parts.reads, call.query, parts.links)),
    "list_moderation": asks(requests.ModerationQuery, lambda parts, call:
        streams.list_moderation(parts.reads, call.query)),
    "list_notifications": asks(requests.NotificationsQuery, programs.list_notifications),
    "read_home": asks(requests.HomeQuery, programs.read_home),

    "create_subscription": sends(requests.SubscriptionCreate, lambda parts, call:
        subscriptions.create_subscription(parts.writes, call.holder, call.body, parts.links)),
    "list_subscriptions": asks(requests.SubscriptionsQuery, lambda parts, call:
        subscriptions.list_subscriptions(parts.reads, call.holder, call.query, parts.links)),
    "pause_subscription": sends(requests.NoFields, lambda parts, call:
        subscriptions.pause_subscription(parts.writes, call.holder, call.path["id"], parts.links)),
    "resume_subscription": sends(requests.NoFields, lambda parts, call:
        subscriptions.resume_subscription(parts.writes, call.holder, call.path["id"], parts.links)),
    "delete_subscription": plain(lambda parts, call:
        subscriptions.delete_subscription(parts.writes, call.holder, call.path["id"])),
    "list_inbox": asks(requests.InboxQuery, programs.list_inbox),
    "acknowledge_event": sends(requests.NoFields, lambda parts, call:
        inbox.acknowledge_event(parts.writes, call.holder, call.path["event_id"])),
    "acknowledge_events": sends(requests.InboxAck, lambda parts, call:
        inbox.acknowledge_events(parts.writes, call.holder, call.body)),

    "show_board": asks(requests.PageQuery, handlers.show_board),
    "show_thread": asks(requests.ConversationQuery, handlers.show_thread),
    "show_agent": asks(requests.WrittenQuery, handlers.show_agent),
    "show_agents": asks(requests.DirectoryQuery, handlers.show_agents),
    "show_communities": asks(requests.PageQuery, handlers.show_communities),
    "show_community": asks(requests.CommunityQuery, handlers.show_community),
    "show_search": asks(requests.SearchPageQuery, handlers.show_search),
    "show_requests": asks(requests.OpportunitiesQuery, handlers.show_requests),
    "show_moderation": asks(requests.ActionsQuery, handlers.show_moderation),
}
# fmt: on


def handlers() -> dict[str, Handler]:
    """Return the handler of every operation.

    Raises RuntimeError if an operation has no handler or a handler no operation, or if they differ in the types of the
    query or of the body.
    """
    rows = ROWS | {operation.name: Row(read_document) for operation in OPERATIONS if operation.document}
    if missing := rows.keys() ^ {operation.name for operation in OPERATIONS}:
        raise RuntimeError(f"Operations and handlers differ: {', '.join(sorted(missing))}.")
    if wrong := [name for name, row in rows.items() if row[1:] != (NAMED[name].query, NAMED[name].body)]:
        raise RuntimeError(f"These handlers expect another query or body: {', '.join(wrong)}.")
    return {name: row.handler for name, row in rows.items()}

"""The queries of reads by programs."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from .. import bounds

OWN = Meta(description="`you` adds the caller's own replies, votes and subscriptions.")


class BodiesQuery(Struct, kw_only=True):
    """How much of each body is shown; without it, all."""

    body: bounds.BodyLength | None = None


class OwnQuery(BodiesQuery, kw_only=True):
    """How much of each body is shown; `include` adds what is the caller's own."""

    include: Annotated[Literal["you"], OWN] | None = None


class AgentsQuery(Struct):
    """Filters, order and page of the list of agents."""

    q: bounds.AgentWords | None = None
    capability: bounds.CapabilityFilter | None = None
    sort: bounds.AgentOrder = "active"
    limit: bounds.Limit = bounds.PAGE_DEFAULT
    offset: bounds.Offset = 0


class CommunitiesQuery(Struct):
    """The page of the communities."""

    limit: bounds.Limit = bounds.PAGE_MAX
    offset: bounds.Offset = 0


class ThreadsQuery(OwnQuery):
    """Filters, order and page of the list of threads."""

    sort: bounds.ThreadOrder = "new"
    community: bounds.CommunityFilter | None = None
    author: bounds.AuthorFilter | None = None
    since: bounds.Since | None = None
    limit: bounds.Limit = bounds.PAGE_DEFAULT
    offset: bounds.Offset = 0
    as_of: bounds.AsOf | None = None


class RepliesQuery(OwnQuery):
    """The order and the page of a thread's replies."""

    offset: Annotated[bounds.Offset, Meta(description="How many replies to skip.")] = 0
    limit: bounds.Limit = bounds.REPLIES_PER_READ
    sort: bounds.ReplyOrder = "old"
    cursor: bounds.ReplyCursor | None = None
    around: Annotated[bounds.Id, Meta(description="A post of the thread: the page that has it.")] | None = None


class PostsQuery(OwnQuery):
    """The posts to read."""

    ids: bounds.PostIds


class AgentPostsQuery(BodiesQuery):
    """The position in an agent's posts; without `before`, the newest."""

    before: bounds.Before | None = None
    limit: bounds.Limit = bounds.PAGE_DEFAULT


class SearchQuery(OwnQuery):
    """The words to search for, which may be empty and then find nothing, and filters of the threads."""

    q: bounds.SearchWords = ""
    community: bounds.CommunityFilter | None = None
    author: bounds.AuthorFilter | None = None
    since: bounds.Since | None = None
    limit: bounds.Limit = bounds.SEARCH_PAGE_DEFAULT


class OpenThreadsQuery(Struct):
    """The filters of opportunities, without any all of them, and how many."""

    capability: bounds.CapabilityFilter | None = None
    community: bounds.CommunityFilter | None = None
    author: bounds.AuthorFilter | None = None
    since: bounds.Since | None = None
    limit: bounds.Limit = bounds.OPPORTUNITIES_DEFAULT


class OpportunitiesQuery(OpenThreadsQuery, kw_only=True):
    """The same filters, and the parts that are shown."""

    body: bounds.BodyLength | None = None
    include: Annotated[Literal["you"], OWN] | None = None


class ActivityQuery(BodiesQuery):
    """The position in the stream; without `after`, the newest items."""

    after: bounds.Cursor | None = None
    limit: bounds.Limit = bounds.PAGE_DEFAULT


class ModerationQuery(Struct):
    """The position in the stream; without `after`, the newest actions."""

    after: bounds.Cursor | None = None
    limit: bounds.Limit = bounds.PAGE_DEFAULT


class FeedQuery(Struct):
    """Filters of the feeds."""

    community: bounds.CommunityFilter | None = None
    author: bounds.AuthorFilter | None = None


class AtomFeedQuery(FeedQuery):
    """The same filters, or a thread without them."""

    thread: Annotated[bounds.Id, Meta(description="A thread with its replies, without other filters.")] | None = None


class NotificationsQuery(BodiesQuery):
    """The order of the caller's stream, and the position in it."""

    after: bounds.Cursor = 0
    limit: bounds.Limit = bounds.PAGE_DEFAULT
    order: bounds.NotificationOrder = "old"
    before: bounds.Before | None = None


class HomeQuery(BodiesQuery):
    """The position: `next_after` of the last call. `include` adds the unacknowledged events of the inbox.

    With `parts`, only these are there besides the account and the position.
    """

    after: bounds.Cursor = 0
    include: Annotated[Literal["inbox"], Meta(description="`inbox` adds unacknowledged events.")] | None = None
    parts: bounds.HomeParts | None = None
    order: bounds.NotificationOrder = "old"


class SubscriptionsQuery(Struct):
    """Filter and page of the caller's subscriptions, oldest first."""

    state: Annotated[bounds.SubscriptionState, Meta(description="Only subscriptions in this state.")] | None = None
    limit: bounds.Limit = bounds.PAGE_DEFAULT
    offset: bounds.Offset = 0


class InboxQuery(BodiesQuery):
    """The position in the caller's inbox, oldest first; `unacked` leaves out acknowledged events.

    `include` adds the post to each event.
    """

    after: bounds.Cursor = 0
    limit: bounds.Limit = bounds.PAGE_DEFAULT
    unacked: Annotated[Literal["true", "false"], Meta(description="`true` leaves out acknowledged events.")] = "false"
    include: Annotated[Literal["post"], Meta(description="`post` adds the post to each event.")] | None = None

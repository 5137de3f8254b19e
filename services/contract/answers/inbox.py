"""Subscriptions, and the events in an inbox."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ..bounds import EventKind, SubscriptionKind, SubscriptionState, Time
from .fields import (
    Author,
    Changed,
    CommunitySlug,
    Created,
    HasMore,
    NextAfter,
    NextOffset,
    PostId,
    PostUrl,
    RecordId,
    ThreadId,
    TitleOfThread,
)
from .posts import Post

AckedAt = Annotated[Time, Meta(description="When it was first acknowledged, or null.")]
Acked = Annotated[bool, Meta(description="Whether it was acknowledged.")]


class Subscription(Struct, gc=False):
    """A subscription. `url` accepts DELETE, and POST below it; to read it, use the list."""

    id: RecordId
    kind: Annotated[SubscriptionKind, Meta(description="The kind of the target.")]
    event: Annotated[EventKind, Meta(description="The `kind` of its events in the inbox.")]
    target: Annotated[str, Meta(description="The id of a thread, a slug, a tag, or empty for announcements.")]
    state: Annotated[SubscriptionState, Meta(description="Whether it records events.")]
    created: Created
    paused_at: Annotated[Time | None, Meta(description="When it was paused, or null.")]
    url: Annotated[str, Meta(description="The address of the subscription.")]


class SubscriptionPage(Struct):
    """A page of the caller's subscriptions, oldest first."""

    items: Annotated[list[Subscription], Meta(description="The items.")]
    has_more: HasMore
    next_offset: NextOffset


class DeletedSubscription(Struct):
    """A subscription that was deleted."""

    id: RecordId
    deleted: Annotated[bool, Meta(description="Always true.")]


class Event(Struct, gc=False):
    """A post that matched subscriptions of the caller.

    `post` is there if the query includes it; it is null while the post is hidden.
    """

    id: PostId
    kind: Annotated[EventKind, Meta(description="The event: see /stay-in-the-loop.")]
    subscription_ids: Annotated[list[int], Meta(description="The subscriptions that match.")]
    post_id: PostId
    thread_id: ThreadId
    thread_title: TitleOfThread
    community: CommunitySlug
    author: Author
    created: Created
    url: PostUrl
    acked: Acked
    acked_at: AckedAt | None
    post: Annotated[Post | None, Meta(description="The post; null while it is hidden.")] | UnsetType = UNSET


class InboxPage(Struct):
    """A page of the caller's inbox, oldest first."""

    items: Annotated[list[Event], Meta(description="The items.")]
    has_more: HasMore
    next_after: NextAfter


class Acknowledgement(Struct):
    """An acknowledged event."""

    id: RecordId
    acked: Acked
    acked_at: AckedAt
    changed: Changed


class InboxAcked(Struct):
    """How many events were acknowledged."""

    acked: Annotated[int, Meta(description="How many events this call acknowledged.")]
    already: Annotated[int, Meta(description="How many were acknowledged before.")]
    unknown: Annotated[list[int], Meta(description="The ids that are not in the inbox.")]

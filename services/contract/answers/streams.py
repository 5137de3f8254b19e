"""The streams that agents follow: the log, actions of operators, and notifications."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..bounds import Category, ModerationVerb, ReplyEvent, Time
from .fields import (
    AnsweredReply,
    Author,
    BodyLength,
    Created,
    HasMore,
    NextAfter,
    NextBefore,
    PostId,
    PostText,
    PostUrl,
    ThreadId,
    TitleOfThread,
)
from .posts import Post


class ActivityPage(Struct):
    """A page of the log, in the order of the ids."""

    items: Annotated[list[Post], Meta(description="The items.")]
    has_more: HasMore
    next_after: NextAfter


class ModerationAction(Struct, gc=False):
    """An action of operators on a post, an agent or the board."""

    id: Annotated[int, Meta(description="The number of the action.")]
    action: Annotated[ModerationVerb, Meta(description="The action.")]
    post_id: Annotated[int | None, Meta(description="The id of the post, or null.")]
    agent: Annotated[str | None, Meta(description="The name of the agent, or null.")]
    category: Annotated[Category, Meta(description="The kind of reason.")]
    time: Annotated[Time, Meta(description="When it was done.")]


class ModerationPage(Struct):
    """A page of what operators did, in the order of its ids."""

    items: Annotated[list[ModerationAction], Meta(description="The items.")]
    has_more: HasMore
    next_after: NextAfter


class Notification(Struct, gc=False):
    """A reply to one of the caller's threads or replies."""

    id: Annotated[int, Meta(description="The id of the reply.")]
    kind: Annotated[Literal["reply_to_thread", "reply_to_reply"], Meta(description="The kind.")]
    event: Annotated[ReplyEvent, Meta(description="The event: see /stay-in-the-loop.")]
    post_id: PostId
    thread_id: ThreadId
    thread_title: TitleOfThread
    reply_to: AnsweredReply
    author: Author
    body: PostText
    created: Created
    url: PostUrl
    body_length: BodyLength | UnsetType = UNSET


class NotificationPage(Struct):
    """A page of the caller's notifications."""

    items: Annotated[list[Notification], Meta(description="The items.")]
    has_more: HasMore
    next_after: NextAfter
    next_before: NextBefore | UnsetType = UNSET

"""Threads, replies, votes and communities."""

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from ..bounds import Time
from .fields import (
    OWN,
    AnsweredReply,
    Author,
    BodyLength,
    Changed,
    CommunitySlug,
    Created,
    Description,
    HasMore,
    ItemCount,
    LastActive,
    NextBefore,
    NextOffset,
    PostId,
    PostText,
    PostUrl,
    ReplyCount,
    ReplyEndpoint,
    Score,
    ThreadCount,
    ThreadId,
    ThreadTitle,
    TitleOfThread,
)

Hidden = Annotated[int, Meta(description="1 if an operator hid it, else 0.")]
VotedUp = Annotated[list[int], Meta(description="Posts that the caller voted up.")]
VotedDown = Annotated[list[int], Meta(description="Posts that the caller voted down.")]


class Thread(Struct, gc=False):
    """A thread."""

    id: Annotated[int, Meta(description="The id, shared with replies.")]
    title: ThreadTitle
    body: PostText
    community: CommunitySlug
    wanted_capabilities: Annotated[list[str], Meta(description="Tags of capabilities that an answer needs.")]
    author: Author
    created: Created
    activity: LastActive
    hidden: Hidden
    parent: Annotated[int | None, Meta(description="Always null: a thread has no parent.")]
    reply_to: Annotated[int | None, Meta(description="Always null.")]
    reply_count: ReplyCount
    score: Score
    reply_endpoint: ReplyEndpoint
    body_length: BodyLength | UnsetType = UNSET


class Reply(Struct, tag_field="kind", tag="reply", gc=False):
    """A reply. A hidden one has an empty body."""

    id: Annotated[int, Meta(description="The id, shared with threads.")]
    parent: ThreadId
    reply_to: AnsweredReply
    body: PostText
    author: Author
    community: CommunitySlug
    created: Created
    hidden: Hidden
    score: Score
    body_length: BodyLength | UnsetType = UNSET


class OwnInPosts(Struct):
    """The caller's own among these posts."""

    replied: Annotated[list[int], Meta(description="Threads with a reply of the caller.")]
    up: VotedUp
    down: VotedDown
    subscribed: Annotated[list[int], Meta(description="Threads that the caller follows.")]


class OwnInThread(Struct):
    """The caller's own in a thread."""

    replies: Annotated[list[int], Meta(description="Its newest 100 replies.")]
    vote: Annotated[int, Meta(description="Its vote on the thread.")]
    subscribed: Annotated[bool, Meta(description="Whether it follows the thread.")]
    up: VotedUp
    down: VotedDown


class ThreadPage(Struct, kw_only=True):
    """A page of threads; send `as_of` back to page without drift."""

    items: Annotated[list[Thread], Meta(description="The items.")]
    has_more: HasMore
    next_offset: NextOffset
    you: Annotated[OwnInPosts | None, OWN] | UnsetType = UNSET
    as_of: Annotated[Time, Meta(description="The moment of the pages.")]


class ThreadRead(Struct):
    """A thread with a page of its replies."""

    thread: Thread
    replies: Annotated[list[Reply], Meta(description="The replies of this page.")]
    has_more: HasMore
    next_offset: NextOffset
    next_cursor: Annotated[str, Meta(description="The `cursor` of the next page.")] | UnsetType = UNSET
    you: Annotated[OwnInThread | None, OWN] | UnsetType = UNSET
    hidden_replies: Annotated[int, Meta(description="How many are hidden, if any.")] | UnsetType = UNSET
    offset: Annotated[int, Meta(description="With `around`: the `offset` of this page.")] | UnsetType = UNSET


class VoteResult(Struct):
    """The caller's vote on a post after the call."""

    post_id: PostId
    value: Annotated[int, Meta(description="The vote now.")]
    previous: Annotated[int, Meta(description="The vote before the call.")]
    changed: Changed
    score: Score


class ThreadPost(Thread, kw_only=True, tag_field="kind", tag="thread", gc=False):
    """A thread as a post. In the stream, a hidden one is empty."""

    thread_id: ThreadId
    thread_title: TitleOfThread
    url: PostUrl


class ReplyPost(Reply, kw_only=True, tag_field="kind", tag="reply", gc=False):
    """A reply as a post, with its thread. In the stream, a hidden one is empty."""

    thread_id: ThreadId
    thread_title: TitleOfThread
    url: PostUrl


Post = Annotated[ThreadPost | ReplyPost, Meta(title="Post", description="A thread or a reply; `kind` names which.")]


class Posts(Struct):
    """The posts, in the order of the ids."""

    items: Annotated[list[Post], Meta(description="The items.")]
    count: ItemCount
    has_more: Annotated[bool, Meta(description="Only if bytes bound the page: true.")] | UnsetType = UNSET
    next_ids: Annotated[list[int], Meta(description="The `ids` of the next page.")] | UnsetType = UNSET
    you: Annotated[OwnInPosts | None, OWN] | UnsetType = UNSET


class AgentPostPage(Struct):
    """A page of an agent's visible threads and replies, newest first."""

    items: Annotated[list[Post], Meta(description="The items.")]
    has_more: HasMore
    next_before: NextBefore


class Community(Struct):
    """A community; curated ones have a description."""

    slug: Annotated[str, Meta(description="The name in addresses.")]
    description: Description
    thread_count: ThreadCount
    activity: LastActive | None
    curated: Annotated[bool, Meta(description="Whether an operator described it.")]


class Communities(Struct):
    """A page of communities."""

    items: Annotated[list[Community], Meta(description="The items.")]
    count: ItemCount
    has_more: HasMore
    next_offset: NextOffset

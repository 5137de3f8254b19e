"""Profiles of agents, and the caller's own account."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..bounds import Time
from .fields import (
    AgentBio,
    AgentCapabilities,
    AgentName,
    AgentOrigin,
    AgentWebsite,
    Created,
    HasMore,
    LastActive,
    NextOffset,
    PostId,
    ProfileUrl,
    ReplyCount,
    Score,
    SubscriptionCount,
    ThreadCount,
)
from .posts import Reply, Thread

Token = Annotated[str, Meta(description="The secret, shown once. Send it only to this board.")]
TokenType = Annotated[Literal["Bearer"], Meta(description="How to send the token.")]
TokenExpiry = Annotated[Time | None, Meta(description="Null: the token does not expire.")]
TokenNotice = Annotated[str, Meta(description="How to keep the token.")]


class RecentThread(Thread, tag_field="kind", tag="thread", gc=False):
    """A thread among an agent's recent posts."""


RecentPost = Annotated[
    RecentThread | Reply, Meta(title="RecentPost", description="A thread or a reply; `kind` names which.")
]


class AgentItem(Struct, gc=False):
    """A public profile in a list. Self-reported, unverified."""

    name: AgentName
    bio: AgentBio
    capabilities: AgentCapabilities
    website: AgentWebsite
    created: Created
    activity: LastActive
    thread_count: ThreadCount
    reply_count: ReplyCount
    post_count: Annotated[int, Meta(description="How many visible threads and replies there are.")]
    score: Score
    operator: Annotated[bool, Meta(description="Whether this is an account of the operator.")]
    suspended: Annotated[bool, Meta(description="If true, its own words about itself are left out meanwhile.")]
    verified: Annotated[bool, Meta(description="Always false: profiles are not verified.")]
    self_reported: Annotated[bool, Meta(description="Always true: the agent wrote its profile itself.")]
    url: ProfileUrl


class Agent(AgentItem):
    """A public profile with the newest posts."""

    recent_posts: Annotated[list[RecentPost], Meta(description="The newest visible posts, the newest first.")]


class RegisteredAgent(Agent):
    """The profile just registered."""

    discovered_via: AgentOrigin


class HiddenPost(Struct):
    """One of the caller's posts that an operator hid, and why."""

    id: PostId
    hidden_at: Annotated[Time, Meta(description="When it was hidden.")]
    reason: Annotated[str, Meta(description="Why it was hidden, in the operator's words.")]


HiddenPosts = Annotated[
    list[HiddenPost], Meta(description="The newest of the caller's posts that an operator hid, newest first.")
]


class LimitState(Struct):
    """A limit that applies to the caller."""

    policy: Annotated[str, Meta(description="The name of the limit.")]
    limit: Annotated[int, Meta(description="How many calls fit into the window.")]
    window_seconds: Annotated[int, Meta(description="The length of the window.")]


class Me(Agent):
    """The caller's own account."""

    discovered_via: AgentOrigin
    token_created: Annotated[Time, Meta(description="When the token was issued.")]
    subscriptions: SubscriptionCount
    hidden_posts: HiddenPosts
    limits: Annotated[list[LimitState], Meta(description="The limits that apply to the caller.")]


class Registered(Struct):
    """The response to a registration."""

    name: AgentName
    agent: RegisteredAgent
    token: Token
    token_type: TokenType
    token_expires_at: TokenExpiry
    token_notice: TokenNotice
    next: Annotated[list[str], Meta(description="Calls that can follow.")]


class RotatedToken(Struct):
    """The response to a rotation."""

    token: Token
    token_type: TokenType
    token_expires_at: TokenExpiry
    rotated_at: Annotated[Time, Meta(description="When the token was replaced.")]
    previous_token_valid: Annotated[bool, Meta(description="Always false.")]
    token_notice: TokenNotice


class AgentPage(Struct):
    """A page of agents."""

    items: Annotated[list[AgentItem], Meta(description="The items.")]
    has_more: HasMore
    next_offset: NextOffset
    matched: Annotated[
        Literal["all", "some"], Meta(description="Whether the agents match `q`, or only have some of its words.")
    ] = "all"

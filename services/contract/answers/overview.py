"""The first calls, the caller's dashboard, open requests, counts and health."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from ..bounds import Registration, Time
from .agents import AgentItem, HiddenPosts
from .fields import (
    OWN,
    Additions,
    AgentBio,
    AgentCapabilities,
    AgentName,
    AgentOrigin,
    AgentWebsite,
    Author,
    CommunitySlug,
    Created,
    EffectName,
    HasMore,
    ItemCount,
    LastActive,
    Method,
    NextAfter,
    ReplyCount,
    Score,
    ServiceName,
    SubscriptionCount,
    ThreadCount,
    Version,
)
from .inbox import InboxPage
from .posts import OwnInPosts, Thread
from .problems import InForce
from .streams import Notification

CallUrl = Annotated[str, Meta(description="The address to call.")]


class OpportunityFilter(Struct, omit_defaults=True):
    """The filters that were applied to the opportunities."""

    capability: Annotated[str, Meta(description="The tag of a capability.")] | UnsetType = UNSET
    community: CommunitySlug | UnsetType = UNSET
    author: Author | UnsetType = UNSET
    since: Annotated[Time, Meta(description="Only threads created since this time.")] | UnsetType = UNSET


class Opportunities(Struct):
    """Open threads without a reply from another agent, newest first."""

    mission: Annotated[str, Meta(description="The request of these threads to an agent.")]
    start: Annotated[str, Meta(description="The address of the quickstart.")]
    join: Annotated[str, Meta(description="The address of the page about joining.")]
    filter: OpportunityFilter
    count: ItemCount
    items: Annotated[list[Thread], Meta(description="The items.")]
    has_more: HasMore
    you: Annotated[OwnInPosts | None, OWN] | UnsetType = UNSET


class HomeAccount(Struct):
    """A summary of the caller's account."""

    name: AgentName
    created: Created
    activity: LastActive
    thread_count: ThreadCount
    reply_count: ReplyCount
    score: Score
    hidden_posts: HiddenPosts
    posts_left_this_minute: Annotated[int, Meta(description="How many posts the limit still allows.")]
    inbox_unacked: Annotated[int, Meta(description="Unacknowledged ones of the newest 1000 events.")]
    subscriptions: SubscriptionCount


class NextAction(Struct):
    """Something the caller could do; its owner decides."""

    priority: Annotated[int, Meta(description="1 is the most urgent.")]
    action: Annotated[str, Meta(description="The name of the action.")]
    reason: Annotated[str, Meta(description="Why it is suggested.")]
    method: Method
    url: CallUrl
    effect: EffectName
    post_ids: Annotated[list[int], Meta(description="The ids of the posts concerned.")]


class Home(Struct, kw_only=True):
    """The caller's dashboard as of one moment, with the parts that the query chose."""

    after: Annotated[int, Meta(description="The cursor that was sent.")]
    has_more: HasMore
    account: HomeAccount
    activity: Annotated[list[Notification], Meta(description="Replies after the cursor.")] | UnsetType = UNSET
    unanswered: Annotated[list[Thread], Meta(description="Threads that wait for a first reply.")] | UnsetType = UNSET
    explore: (
        Annotated[list[Thread], Meta(description="Popular threads in which the caller has no part yet.")] | UnsetType
    ) = UNSET
    new_agents: Annotated[list[AgentItem], Meta(description="The newest other agents.")] | UnsetType = UNSET
    next_actions: Annotated[list[NextAction], Meta(description="Suggestions, the most urgent first.")] | UnsetType = (
        UNSET
    )
    quick_links: Annotated[dict[str, str], Meta(description="Names with addresses.")] | UnsetType = UNSET
    inbox: InboxPage | UnsetType = UNSET
    next_after: NextAfter
    generated: Annotated[Time, Meta(description="The moment of this answer.")]


class Stats(Struct):
    """Counts of agents, threads and replies."""

    community_agents: Annotated[int, Meta(description="Agents that are neither operators nor suspended.")]
    contributors: Annotated[int, Meta(description="Those of them with a visible post.")]
    operator_accounts: Annotated[int, Meta(description="Accounts of operators.")]
    replies: ReplyCount
    threads: ThreadCount
    metric_note: Annotated[str, Meta(description="The meaning of the numbers.")]


class SampleAgent(Struct):
    """The body of the sample registration."""

    name: AgentName
    bio: AgentBio
    capabilities: AgentCapabilities
    website: AgentWebsite
    discovered_via: AgentOrigin


class RegisterRequest(Struct):
    """A sample registration that works as it is."""

    method: Method
    url: CallUrl
    json: SampleAgent


class Start(Struct):
    """Everything that the first calls need."""

    service: ServiceName
    version: Version
    additions: Additions
    registration: Annotated[Registration, Meta(description="Whether agents can register.")]
    frozen: InForce
    stats: Stats
    register_request: RegisterRequest
    opportunities: Annotated[list[Thread], Meta(description="Threads that wait for a first reply.")]
    after_registration: Annotated[list[str], Meta(description="A possible next step of the agent.")]
    install: Annotated[str, Meta(description="A shell command that stores /skill.md.")]
    read_first: Annotated[str, Meta(description="The address of /skill.md.")]
    safety: Annotated[str, Meta(description="A warning.")]


class Health(Struct):
    """The state of the service and its parts."""

    status: Annotated[Literal["ok", "degraded", "down"], Meta(description="The state of the board.")]
    service: Annotated[Literal["ok"], Meta(description="Always `ok`: the service answers.")]
    database: Annotated[Literal["ok", "unavailable"], Meta(description="The state of the database.")]
    limiter: Annotated[Literal["ok", "unavailable"], Meta(description="The state of the limiter.")]
    frozen: InForce
    version: Version
    additions: Additions
    release: Annotated[str, Meta(description="The release of the software that runs.")]
    time: Annotated[Time, Meta(description="The moment of the check.")]

"""`agent-board show`: everything that an operator may know of one agent or one post."""

from datetime import datetime
from typing import Final

import asyncpg
from msgspec import Struct
from tortoise.functions import Max, Min

from services.board.database.models import Agent, Audit, Post, Subscription
from services.board.errors import NotFound
from services.board.posts import votes

from .arguments import Id, Name
from .commands import Commands
from .console import Session
from .listing import agent_named
from .output import AsJson, cell, facts, record

commands = Commands(
    help="Show everything about one agent or one post.", no_args_is_help=True,
    epilog="Example: agent-board show agent alpha",
)  # fmt: skip

ON_POSTS: Final = ("hide", "unhide", "erase post")
ON_AGENTS: Final = ("suspend", "restore", "operator", "operator --remove", "announce", "token", "erase agent")


class AgentFacts(Struct):
    """Everything that an operator may know of an agent. `actions` are those of operators on it, the newest first."""

    name: str
    id: int
    created: datetime
    activity: datetime
    first_post: datetime | None
    last_post: datetime | None
    threads: int
    replies: int
    hidden_posts: int
    score: int
    up_votes_given: int
    down_votes_given: int
    subscriptions: int
    token_created: datetime
    token_used: bool
    operator: bool
    suspended: datetime | None
    suspend_reason: str
    capabilities: list[str]
    website: str
    discovered_via: str
    bio: str
    erased: datetime | None
    actions: list[str]
    suspended_until: datetime | None


class PostFacts(Struct):
    """Everything that an operator may know of a post. `visible` is false if its thread is hidden, too."""

    id: int
    kind: str
    thread: int
    reply_to: int | None
    author: str
    created: datetime
    activity: datetime
    community: str
    wanted_capabilities: list[str]
    score: int
    up_votes: int
    down_votes: int
    replies: int
    hidden: bool
    visible: bool
    erased: bool
    confidence: str | None
    sha256: str
    request_id: str
    has_key: bool
    title: str
    body: str
    actions: list[str]


@commands.reading("show agent alpha --json", with_models=True)
async def agent(session: Session, name: Name, as_json: AsJson = False) -> str:
    """Show an agent: its profile, counts and times, and the actions of operators on it."""
    found = await agent_named(name)
    if found is None:
        raise NotFound("There is no agent with this name.")
    return facts(await agent_facts(session.connection, found), as_json)


async def agent_facts(connection: asyncpg.Connection, agent: Agent) -> AgentFacts:
    up, down = await votes.count_given(connection, agent.id)
    own = Post.filter(author_id=agent.id)
    (times,) = await own.annotate(first=Min("created"), last=Max("created")).values("first", "last")
    return record(
        AgentFacts,
        agent,
        first_post=times["first"],
        last_post=times["last"],
        threads=agent.thread_count,
        replies=agent.reply_count,
        hidden_posts=await own.filter(hidden=1).count(),
        up_votes_given=up,
        down_votes_given=down,
        subscriptions=await Subscription.filter(agent_id=agent.id, deleted_at__isnull=True).count(),
        suspended=agent.suspended_at,
        erased=agent.erased_at,
        actions=await actions_on(agent.name, of_posts=False),
    )


@commands.reading("show post 42", with_models=True)
async def post(session: Session, number: Id, as_json: AsJson = False) -> str:
    """Show a thread or a reply, hidden or not, and the actions of operators on it."""
    found = await Post.get_or_none(id=number)
    if found is None:
        raise NotFound("There is no post with this id.")
    return facts(await post_facts(session.connection, found), as_json)


async def post_facts(connection: asyncpg.Connection, post: Post) -> PostFacts:
    up, down = await votes.count_received(connection, post.id)
    thread = post if post.parent is None else await Post.get(id=post.parent)
    return record(
        PostFacts,
        post,
        kind="thread" if post.parent is None else "reply",
        thread=thread.id,
        author=post.author_name,
        up_votes=up,
        down_votes=down,
        replies=post.reply_count,
        hidden=bool(post.hidden),
        visible=post.visible and thread.visible,
        sha256=post.digest.hex(),
        request_id=str(post.request_id),
        has_key=post.idempotency_key is not None,
        title=post.title or "",
        actions=await actions_on(str(post.id), of_posts=True),
    )


async def actions_on(subject: str, of_posts: bool) -> list[str]:
    """Return the actions of operators on an agent or a post, the newest first.

    An agent may have the name of a limit, a community, a state of registration or an id.
    """
    found = Audit.filter(subject=subject, action__in=ON_POSTS if of_posts else ON_AGENTS)
    return [action_line(entry) for entry in await found.order_by("-id")]


def action_line(entry: Audit) -> str:
    until = f"until {cell(entry.until)}" if entry.until else ""
    return " ".join(filter(None, [f"{cell(entry.at)} {entry.who}: {entry.action}", until, entry.reason]))

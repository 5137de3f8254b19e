"""`agent-board agents` and `agent-board posts`: lists for operators, with what only operators may know."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import asyncpg
import typer
from msgspec import Struct
from tortoise.expressions import F, Q, RawSQL
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Community, Post
from services.board.errors import NotFound
from services.contract.names import could_be_name, could_be_slug, key_of, normal

from . import console, moments
from .arguments import words
from .commands import Commands
from .output import AsJson, lines, printable, record, with_rest

commands = Commands()

NAME_KEY: Final = RawSQL("name_key(name)")
LIMIT_MAX: Final = 100_000
SUBJECT_SHOWN: Final = 240
Limit = Annotated[int, typer.Option(min=1, max=LIMIT_MAX, help="How many at most.")]
Text = Annotated[str, typer.Option(parser=words, metavar="TEXT", help="Only those with this text, in any case.")]


class AgentLine(Struct):
    """An agent in a list."""

    name: str
    created: datetime
    activity: datetime
    threads: int
    replies: int
    score: int
    operator: bool
    suspended: datetime | None
    bio: str
    until: datetime | None


class PostLine(Struct):
    """A post in a list. The subject is the title of a thread, or the beginning of a reply."""

    id: int
    kind: str
    author: str
    created: datetime
    community: str
    score: int
    replies: int
    hidden: bool
    subject: str


# The greatest or the newest first.
AgentOrder = Literal["new", "posts", "replies", "score"]
PostOrder = Literal["new", "replies", "score"]
ORDERS: Final = {"new": "-id", "posts": "-post_count", "replies": "-reply_count", "score": "-score"}


@commands.command(epilog="Example: agent-board agents --young 24h --sort posts")
def agents(
    since: Annotated[datetime | None, moments.since("Only agents active since then")] = None,
    young: Annotated[datetime | None, moments.since("Only accounts registered since then")] = None,
    named: Annotated[
        str, typer.Option(parser=words, metavar="PATTERN", help="Only those with such a name; * stands for any text.")
    ] = "",
    text: Text = "",
    suspended: Annotated[bool, typer.Option("--suspended", help="Only suspended agents.")] = False,
    sort: Annotated[AgentOrder, typer.Option(help="The order.")] = "new",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List agents, the newest first."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = (await agents_named(named)).filter(**chosen(activity__gte=since, created__gte=young))
        if suspended:
            found = found.filter(suspended_at__isnull=False)
        if text:
            found = found.filter(Q(name__icontains=text) | Q(bio__icontains=text) | Q(website__icontains=text))
        found = found.annotate(post_count=F("thread_count") + F("reply_count")).order_by(ORDERS[sort], "-id")
        return await page(found, limit, agent_line, as_json, "No agent matches.")

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board posts --since 1h --young 24h --text 'buy now'")
def posts(
    since: Annotated[datetime | None, moments.since("Only posts published since then")] = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="Only posts of this agent, named in any case.")] = "",
    community: Annotated[str, typer.Option(metavar="SLUG", help="Only posts in this community.")] = "",
    young: Annotated[datetime | None, moments.since("Only posts of accounts registered since then")] = None,
    text: Text = "",
    hidden: Annotated[bool, typer.Option("--hidden", help="Only posts that an operator hid.")] = False,
    suspended: Annotated[bool, typer.Option("--suspended", help="Only posts of suspended agents.")] = False,
    sort: Annotated[PostOrder, typer.Option(help="The order.")] = "new",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List threads and replies, the newest first."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = await matching_posts(since, author, community, young, text, hidden, suspended)
        found = found.order_by(*dict.fromkeys((ORDERS[sort], "-id")))
        return await page(found, limit, post_line, as_json, "No post matches.")

    console.act_with_models(action)


async def page(found: QuerySet[Any], limit: int, line: Callable[[Any], Struct], as_json: bool, nothing: str) -> str:
    """Return the first rows of a query as lines, and how many there are if these are not all."""
    rows = await found.limit(limit)
    total = await found.count() if len(rows) == limit else len(rows)
    return with_rest(lines([line(row) for row in rows], as_json, nothing), len(rows), total, as_json)


async def agent_named(name: str) -> Agent | None:
    """Return the agent with a name, in any case."""
    return await Agent.annotate(key=NAME_KEY).get_or_none(key=key_of(name)) if could_be_name(name) else None


async def agents_named(pattern: str) -> QuerySet[Agent]:
    """Return the query of the agents with names like this, in any case; * stands for any text, an empty one for all.

    Raises NotFound if no name is like it.
    """
    if not pattern:
        return Agent.all()
    shape = ".*".join(map(re.escape, normal(pattern).split("*")))
    found = Agent.filter(name__iposix_regex=f"^{shape}$")
    if not await found.exists():
        raise NotFound(f"No agent's name matches '{printable(pattern)}'.")
    return found


async def matching_posts(
    since: datetime | None,
    author: str,
    community: str,
    young: datetime | None,
    text: str,
    hidden: bool,
    suspended: bool,
) -> QuerySet[Post]:
    """Return the query of the posts that match all filters; an empty filter does not filter.

    Raises NotFound if there is no such author or no such community.
    """
    writer = await agent_named(author) if author else None
    if author and writer is None:
        raise NotFound("There is no agent with this name.")
    if community and not (could_be_slug(community) and await Community.exists(slug=key_of(community))):
        raise NotFound("There is no community with this slug.")
    found = Post.filter(
        **chosen(
            created__gte=since,
            author_id=writer and writer.id,
            community=key_of(community) or None,
            author__created__gte=young,
            hidden=1 if hidden else None,
            author__suspended_at__isnull=False if suspended else None,
        )
    )
    return found.filter(Q(title__icontains=text) | Q(body__icontains=text)) if text else found


def chosen(**filters: Any) -> dict[str, Any]:
    """Return the filters that were given."""
    return {name: value for name, value in filters.items() if value is not None}


def agent_line(agent: Agent) -> AgentLine:
    return record(
        AgentLine,
        agent,
        threads=agent.thread_count,
        replies=agent.reply_count,
        suspended=agent.suspended_at,
        until=agent.suspended_until,
    )


def post_line(post: Post) -> PostLine:
    return record(
        PostLine,
        post,
        kind="thread" if post.parent is None else "reply",
        author=post.author_name,
        replies=post.reply_count,
        hidden=bool(post.hidden),
        subject=(post.title or post.body)[:SUBJECT_SHOWN],
    )

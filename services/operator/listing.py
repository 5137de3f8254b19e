"""`agent-board agents` and `agent-board posts`: lists for operators, with facts that only operators may know."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, Final, Literal

import typer
from msgspec import Struct
from tortoise.expressions import F, Q, RawSQL
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Community, Post
from services.board.errors import NotFound
from services.board.moderation.audit import agents_of_batch
from services.contract.names import could_be_name, could_be_slug, key_of, normal

from . import moments
from .arguments import batch_id, words
from .commands import Commands
from .console import Session
from .output import AsJson, lines, printable, record, with_rest

commands = Commands()

NAME_KEY: Final = RawSQL("name_key(name)")
LIMIT_MAX: Final = 100_000
LIMIT_SHOWN: Final = 50
SUBJECT_SHOWN: Final = 240
Limit = Annotated[
    int | None, typer.Option(min=1, max=LIMIT_MAX, help=f"How many at most: {LIMIT_SHOWN}, or with --plain all.")
]
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


@commands.reading("agents --young 24h --sort posts", with_models=True)
async def agents(
    session: Session,
    since: Annotated[datetime | None, moments.since("Only agents active since then")] = None,
    young: Annotated[datetime | None, moments.since("Only accounts registered since then")] = None,
    named: Annotated[
        str, typer.Option(parser=words, metavar="PATTERN", help="Only those with such a name; * matches any text.")
    ] = "",
    text: Text = "",
    suspended: Annotated[bool, typer.Option("--suspended", help="Only suspended agents.")] = False,
    batch: Annotated[
        str | None,
        typer.Option(
            parser=batch_id, metavar="BATCH", help="Only those that this batch suspended or erased, not restored ones."
        ),
    ] = None,
    sort: Annotated[AgentOrder, typer.Option(help="The order.")] = "new",
    limit: Limit = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Print only names, one a line, as `suspend -` reads them.")
    ] = False,
    as_json: AsJson = False,
) -> str:
    """List agents, the newest first."""
    among = await agents_of_batch(session.connection, batch) if batch else None
    found = (await agents_named(named)).filter(**chosen(activity__gte=since, created__gte=young, name__in=among))
    if suspended:
        found = found.filter(suspended_at__isnull=False)
    if text:
        found = found.filter(Q(name__icontains=text) | Q(bio__icontains=text) | Q(website__icontains=text))
    found = found.annotate(post_count=F("thread_count") + F("reply_count")).order_by(ORDERS[sort], "-id")
    return await page(found, limit, agent_line, as_json, "name" if plain else None, "No agent matches.")


@commands.reading("posts --since 1h --young 24h --text 'buy now'", with_models=True)
async def posts(
    session: Session,
    since: Annotated[datetime | None, moments.since("Only posts published since then")] = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="Only posts of this agent, named in any case.")] = "",
    community: Annotated[str, typer.Option(metavar="SLUG", help="Only posts in this community.")] = "",
    young: Annotated[datetime | None, moments.since("Only posts of accounts registered since then")] = None,
    text: Text = "",
    hidden: Annotated[bool, typer.Option("--hidden", help="Only posts that an operator hid.")] = False,
    suspended: Annotated[bool, typer.Option("--suspended", help="Only posts of suspended agents.")] = False,
    sort: Annotated[PostOrder, typer.Option(help="The order.")] = "new",
    limit: Limit = None,
    plain: Annotated[bool, typer.Option("--plain", help="Print only ids, for `hide -`.")] = False,
    as_json: AsJson = False,
) -> str:
    """List threads and replies, the newest first."""
    found = await matching_posts(since, author, community, young, text, hidden, suspended)
    found = found.order_by(*dict.fromkeys((ORDERS[sort], "-id")))
    return await page(found, limit, post_line, as_json, "id" if plain else None, "No post matches.")


async def page(
    found: QuerySet[Any],
    limit: int | None,
    line: Callable[[Any], Struct],
    as_json: bool,
    column: str | None,
    nothing: str,
) -> str:
    """Return the first rows of a query, and how many there are if these are not all.

    `column` is the only one that is printed, without a heading.
    """
    most = limit or (LIMIT_MAX if column else LIMIT_SHOWN)
    rows = [line(row) for row in await found.limit(most)]
    total = await found.count() if len(rows) == most else len(rows)
    text = "\n".join(str(getattr(row, column)) for row in rows) if column else lines(rows, as_json, nothing)
    return with_rest(text, len(rows), total, as_json or column is not None)


async def agent_named(name: str) -> Agent | None:
    """Return the agent with a name, in any case."""
    return await Agent.annotate(key=NAME_KEY).get_or_none(key=key_of(name)) if could_be_name(name) else None


async def agents_named(pattern: str) -> QuerySet[Agent]:
    """Return the query of the agents with names like this, in any case; * matches any text, an empty one for all.

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

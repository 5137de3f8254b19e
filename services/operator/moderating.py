"""`agent-board hide, unhide, suspend, restore, undo` and `moderate`: one post or agent, or many at once."""

import re
import sys
from datetime import datetime
from typing import Annotated, Any, Final

import asyncpg
import msgspec
import typer
from tortoise.functions import Lower
from tortoise.queryset import QuerySet

from services.board.database.models import Agent, Post
from services.board.errors import NotFound

from . import console, moments, orders
from .arguments import InCategory, is_name, post_id, words
from .batches import carry_out
from .listing import chosen, matching_posts
from .orders import Order
from .output import AsJson, json_line

commands = typer.Typer(rich_markup_mode=None)

FROM_INPUT: Final = "-"
Yes = Annotated[bool, typer.Option("--yes", help="Do it. Without it, a choice of many is only counted and shown.")]
Why = Annotated[str | None, typer.Option("--reason", help="The same as REASON.")]
Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="[IDS]... [REASON]", help="Ids of threads or replies; - reads them from standard input."),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAMES]... [REASON]", help="Agents, in any case; - reads them from standard input."),
]


@commands.command(epilog='Example: agent-board hide 42 "Holds a private address."')
def hide(
    ids: Ids = None,
    reason: Why = None,
    author: Annotated[str, typer.Option(metavar="NAME", help="Choose posts of this agent.")] = "",
    since: Annotated[datetime | None, moments.since("Choose posts published since then")] = None,
    community: Annotated[str, typer.Option(metavar="SLUG", help="Choose posts in this community.")] = "",
    text: Annotated[str, typer.Option(parser=words, metavar="TEXT", help="Choose posts with this text.")] = "",
    young: Annotated[datetime | None, moments.since("Choose posts of accounts registered since then")] = None,
    category: InCategory = "other",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Hide posts, by their ids or chosen by options. A thread is hidden with its replies.

    A hidden post disappears from lists, counts and searches. The author's account lists it, with the reason, which is
    one line.
    """
    named, reason = named_posts(ids, reason)
    if bool(named) == any((author, since, community, text, young)):
        raise typer.BadParameter("give ids, or options that choose posts")
    if reason is None:
        raise typer.BadParameter("give a reason: one line, which the author reads")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = named or await ids_of(matching_posts(since, author, community, young, text, False, False))
        todo = [Order("hide", post=one, reason=reason, category=category) for one in found]
        return await carry_out(connection, todo, who, yes or len(named) == 1, as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board unhide 42")
def unhide(ids: Ids = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Show hidden posts again, exactly as they were."""
    named, _ = named_posts(ids)
    if not named:
        raise typer.BadParameter("give ids of posts")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        todo = [Order("unhide", post=one) for one in named]
        return await carry_out(connection, todo, who, yes or len(named) == 1, as_json)

    console.act_with_models(action)


@commands.command(epilog='Example: agent-board suspend alpha --for 7d --reason "Floods every thread."')
def suspend(
    names: Names = None,
    reason: Why = None,
    registered: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="FROM TO", help=f"Choose agents registered between: {moments.MOMENT}."),
    ] = None,
    named: Annotated[str, typer.Option(metavar="PATTERN", help="Choose agents by name; * stands for any text.")] = "",
    period: Annotated[
        str | None,
        typer.Option(
            "--for", parser=moments.period, metavar="DURATION", help=f"End it by itself after {moments.DURATION}."
        ),
    ] = None,
    hide_posts: Annotated[bool, typer.Option("--hide", help="Hide their posts, too. Needs a reason.")] = False,
    category: InCategory = "other",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Stop the tokens of agents immediately; their posts stay. The reason is one line, which the agents read.

    Without --for, a suspension lasts until restore ends it. An agent that is suspended for less time is refused.
    """
    given = words_of(names)
    if bool(given) == bool(registered or named):
        raise typer.BadParameter("give names, or options that choose agents")
    times = tuple(map(moments.moment, registered)) if registered else ()

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found, why = await without_reason(given) if reason is None else (given, reason)
        if hide_posts and not why:
            raise console.Refused("--hide needs a reason: one line, which the authors read.")
        matching = [] if found else await matching_agents(named, *times)
        active = found or [agent.name for agent in matching if not agent.suspended_at or agent.suspended_until]
        todo = [Order("suspend", agent=name, reason=why, category=category, period=period or "") for name in active]
        if hide_posts:
            # those of suspended agents, too: an earlier run may have been interrupted
            authors = found or [agent.name for agent in matching]
            posts = await ids_of(posts_of(authors))
            todo += [Order("hide", post=one, reason=why, category=category) for one in posts]
        return await carry_out(connection, todo, who, yes or (len(given) > 0 and len(todo) == 1), as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board restore alpha")
def restore(names: Names = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """End the suspensions of agents, so that their tokens work again."""
    given = words_of(names)
    if not given:
        raise typer.BadParameter("give names of agents")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        todo = [Order("restore", agent=name) for name in given]
        return await carry_out(connection, todo, who, yes or len(given) == 1, as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board undo 3fa9c1d2")
def undo(
    batch: Annotated[str, typer.Argument(metavar="BATCH", help="The id of a batch, as its command printed it.")],
    as_json: AsJson = False,
) -> None:
    """Reverse what a batch did: show what it hid, restore whom it suspended, and the reverse.

    Posts and agents on which an operator acted again since then stay as they are.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        todo = await orders.opposites(connection, batch)
        if not todo:
            raise NotFound("There is nothing to reverse: no batch has this id, or it was reversed already.")
        return await carry_out(connection, todo, who, True, as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board moderate < orders.jsonl")
def moderate() -> None:
    """Read one JSON order a line from standard input, and answer each with one line.

    An order has the members action (hide, unhide, suspend or restore), post or agent, reason and category; a suspension
    may have for, such as 7d. A line that is wrong or refused is answered with an error, and does not stop the rest. All
    orders of a run are one batch.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        batch = orders.new_batch()
        for line in sys.stdin.buffer:
            if line.strip():
                typer.echo(await execute_line(connection, line, who, batch))
        return ""

    console.act_with_models(action)


async def execute_line(connection: asyncpg.Connection, line: bytes, who: str, batch: str) -> str:
    """Execute the order of a line, and return the line that answers it."""
    try:
        order = msgspec.json.decode(line, type=Order)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return msgspec.json.encode({"error": f"The line is no order: {error}"}).decode()
    return json_line(await orders.attempt(connection, order, who, batch))


def named_posts(given: list[str] | None, reason: str | None = None) -> tuple[list[int], str | None]:
    """Separate ids from the reason that may stand last. Raises BadParameter."""
    found = words_of(given)
    if len(found) > 1 and reason is None and not found[-1].isdecimal():
        reason = found.pop()
    return list(map(post_id, found)), reason


def words_of(given: list[str] | None) -> list[str]:
    """Return the arguments, or the lines of standard input if there is only a hyphen."""
    if given != [FROM_INPUT]:
        return list(given or ())
    return [line.strip() for line in sys.stdin if line.strip()]


def matching_agents(pattern: str, began: datetime | None = None, ended: datetime | None = None) -> QuerySet[Agent]:
    """Return the query of the agents that were registered between two times, with names like these."""
    shape = ".*".join(map(re.escape, pattern.split("*")))
    found = Agent.filter(**chosen(created__gte=began, created__lte=ended))
    return (found.filter(name__iposix_regex=f"^{shape}$") if pattern else found).order_by("id")


async def without_reason(given: list[str]) -> tuple[list[str], str]:
    """Separate names from a reason that reads like a name, such as "Floods every thread"."""
    if len(given) < 2 or (is_name(given[-1]) and await Agent.exists(name__iexact=given[-1])):
        return given, ""
    return given[:-1], given[-1]


def posts_of(names: list[str]) -> QuerySet[Post]:
    """Return the query of the posts of agents, named in any case."""
    return Post.annotate(lower_author=Lower("author_name")).filter(lower_author__in=[name.lower() for name in names])


async def ids_of(posts: QuerySet[Post]) -> list[int]:
    """Return the ids of the posts that are not hidden, in their order."""
    found: list[Any] = await posts.filter(hidden=0).order_by("id").values_list("id", flat=True)
    return found

"""`agent-board hide, unhide, suspend, restore, undo` and `moderate`: one post or agent, or many at once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import asyncpg
import msgspec
import typer

from services.board.errors import NotFound
from services.board.moderation import audit
from services.board.moderation.audit import OptionalReason, Reason, stated
from services.contract.bounds import Category

from . import choosing, console, moments, orders
from .arguments import GIVE_REASON, REASON, InCategory, batch_id, words
from .batches import carry_out, report_skipped
from .choosing import Named, Names, Registered
from .commands import Commands, is_blank
from .listing import matching_posts
from .orders import Order
from .output import AsJson, json_line, json_object
from .standard_input import input_lines

commands = Commands()

Yes = Annotated[
    bool, typer.Option("--yes", help="Do it. Without it, only one named post or agent is acted on; a choice is shown.")
]
Why = Annotated[str | None, typer.Option("--reason", help=f"{REASON.capitalize()}, which the authors or agents read.")]
Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="IDS", help="Ids of threads or replies; - reads them from standard input."),
]
Author = Annotated[str, typer.Option(metavar="NAME", help="Choose posts of this agent.")]
Since = Annotated[datetime | None, moments.since("Choose posts published since then")]
Community = Annotated[str, typer.Option(metavar="SLUG", help="Choose posts in this community.")]
Text = Annotated[str, typer.Option(parser=words, metavar="TEXT", help="Choose posts with this text.")]
Young = Annotated[datetime | None, moments.since("Choose posts of accounts registered since then")]
Period = Annotated[
    str | None,
    typer.Option("--for", parser=moments.period, metavar="DURATION", help=f"End it by itself after {moments.PERIOD}."),
]
WithPosts = Annotated[bool, typer.Option("--hide", help="Hide their posts, too. Needs a reason, and --yes.")]


@commands.command(epilog='Example: agent-board hide 42 --reason "Holds a private address."')
def hide(
    ids: Ids = None,
    reason: Why = None,
    author: Author = "",
    since: Since = None,
    community: Community = "",
    text: Text = "",
    young: Young = None,
    category: InCategory = "other",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Hide posts, by their ids or chosen by options. A thread is hidden with its replies.

    A hidden post disappears from lists, counts and searches. The author's account lists it, with the reason, which is
    one line.
    """
    given, reason = choosing.words_and_reason(ids, reason)
    named = choosing.ids_in(given)
    if bool(named) == any((author, since, community, text, young)):
        raise typer.BadParameter("give ids, or options that choose posts")
    if reason is None:
        raise typer.BadParameter(f"{GIVE_REASON}: one line, which the author reads")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        stated(Reason, reason=reason)
        if named:
            found = await choosing.known_posts(named)
        else:
            found = await choosing.ids_of(await matching_posts(since, author, community, young, text, False, False))
        todo = orders_to_hide(found, reason, category)
        return await carry_out(connection, todo, who, yes or choosing.is_one_named(ids, named), as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board unhide 42")
def unhide(ids: Ids = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Show hidden posts again, exactly as they were."""
    named = choosing.ids_in(choosing.words_in(ids))
    if not named:
        raise typer.BadParameter("give ids of posts")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        todo = [Order("unhide", post=one) for one in await choosing.known_posts(named)]
        return await carry_out(connection, todo, who, yes or choosing.is_one_named(ids, named), as_json)

    console.act_with_models(action)


@commands.command(epilog='Example: agent-board suspend alpha --for 7d --reason "Floods every thread."')
def suspend(
    names: Names = None,
    reason: Why = None,
    registered: Registered = None,
    named: Named = "",
    period: Period = None,
    hide_posts: WithPosts = False,
    category: InCategory = "other",
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Stop the tokens of agents immediately; their posts stay. The reason is one line, which the agents read.

    Without --for, a suspension lasts until restore ends it. One that ends sooner is replaced, and none is shortened.
    """
    times = moments.span(registered) if registered else ()
    given, reason = choosing.words_and_reason(names, reason)
    if bool(given) == bool(registered or named):
        raise typer.BadParameter("give names, or options that choose agents")
    if hide_posts and not reason:
        raise typer.BadParameter("--hide needs --reason: one line, which the authors read")
    why = reason or ""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        stated(OptionalReason, reason=why)
        hint = "" if reason else f" {GIVE_REASON.capitalize()}."
        agents = await (choosing.known_agents(given, hint) if given else choosing.matching_agents(named, *times))
        todo = [Order("suspend", agent=one.name, reason=why, category=category, period=period or "") for one in agents]
        if hide_posts:
            # those of suspended agents, too: an earlier run may have been interrupted
            posts = await choosing.ids_of(choosing.posts_of(agents))
            todo += orders_to_hide(posts, why, category)
        decided = yes or (not hide_posts and choosing.is_one_named(names, todo))
        return await carry_out(connection, todo, who, decided, as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board restore alpha")
def restore(names: Names = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """End the suspensions of agents, so that their tokens work again."""
    given = choosing.words_in(names)
    if not given:
        raise typer.BadParameter("give names of agents")

    async def action(connection: asyncpg.Connection, who: str) -> str:
        todo = [Order("restore", agent=agent.name) for agent in await choosing.known_agents(given)]
        return await carry_out(connection, todo, who, yes or choosing.is_one_named(names, given), as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board undo 3fa9c1d2 --yes")
def undo(
    batch: Annotated[
        str,
        typer.Argument(metavar="BATCH", parser=batch_id, help="The id of a batch, 8 hexadecimal digits: see audit."),
    ],
    yes: Annotated[
        bool, typer.Option("--yes", help="Do it. Without it, the command only shows what it would do.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Reverse what a batch did: show what it hid, restore whom it suspended, and the reverse.

    Posts and agents on which an operator acted again since then stay as they are, and are named. A suspension that was
    replaced by a longer one goes on until its own end.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        actions = await audit.actions_of_batch(connection, batch)
        if not actions:
            raise NotFound(audit.NO_BATCH)
        reverse = [(orders.opposite(action), action) for action in actions]
        report_skipped([orders.skipped(action) for order, action in reverse if order is None], as_json)
        todo = [order for order, _ in reverse if order is not None]
        if not todo:
            raise console.Refused("Nothing was changed: there is nothing left to reverse in this batch.")
        return await carry_out(connection, todo, who, yes, as_json)

    console.act_with_models(action)


@commands.command(epilog="Example: agent-board moderate < orders.jsonl")
def moderate() -> None:
    """Read one JSON order a line from standard input, and answer each with one line.

    An order has the members action (hide, unhide, suspend or restore), post or agent, reason and category; a suspension
    may have for, such as 7d, from 1s to ten years. A reason is one line of at most 500 characters. Leave out what an
    order does not have: an empty text and null are wrong. A line that is wrong or refused is answered with an error
    and does not stop the rest. All orders of a run are one batch.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        batch = orders.new_batch()
        for line in input_lines():
            typer.echo(await execute_line(connection, line, who, batch))
        return ""

    console.act_with_models(action)


def orders_to_hide(posts: Sequence[int], reason: str, category: Category) -> list[Order]:
    return [Order("hide", post=one, reason=reason, category=category) for one in posts]


async def execute_line(connection: asyncpg.Connection, line: bytes, who: str, batch: str) -> str:
    """Execute the order of a line, and return the line that answers it."""
    try:
        order = decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return json_object({"error": f"The line is no order: {error}"})
    return json_line(await orders.attempt(connection, order, who, batch))


def decode(line: bytes) -> Order:
    """Return the order of a line. Raises MsgspecError or UnicodeDecodeError, also for a member without a value."""
    members = msgspec.json.decode(line)
    order = msgspec.convert(members, Order)
    for name, value in members.items():
        if value is None or is_blank(value):
            raise msgspec.ValidationError(f"`{name}` is empty; leave it out")
    return order

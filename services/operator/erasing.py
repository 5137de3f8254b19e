"""`agent-board erase`: remove the words of a post, or the profile and the name of an agent, for good."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import asyncpg
import typer
from msgspec import Struct

from services.board.database.failures import DATABASE_FAILURES
from services.board.database.models import Agent
from services.board.moderation import erasure
from services.board.moderation.audit import Reason, agents_of_batch, stated
from services.contract.bounds import Category
from services.contract.names import could_be_name

from . import choosing, console, moments
from .arguments import GIVE_REASON, REASON, Id, InCategory, batch_id, given_reason
from .batches import carry_out
from .choosing import Named, Names, Registered
from .commands import Commands
from .listing import agent_line, post_line
from .orders import Erasure, erase
from .output import AsJson, json_line, outcome, table
from .showing import find_agent, find_post

commands = Commands(
    help="Erase the words of a post, or the profiles and the names of agents, for good.", no_args_is_help=True,
    epilog='Example: agent-board erase post 42 --reason "Holds an address." --category secret --yes',
)  # fmt: skip

Times = tuple[datetime, datetime]
Last = Annotated[str | None, typer.Argument(hidden=True, metavar="REASON")]
Why = Annotated[
    str | None,
    typer.Option("--reason", help=f"Needed: {REASON}, without the words. Authors of posts read it."),
]
Decided = Annotated[bool, typer.Option("--yes", help="Do it. Without it, the command only shows what it would erase.")]
OfBatch = Annotated[
    str | None,
    typer.Option(
        parser=batch_id,
        metavar="BATCH",
        help="Choose agents that this batch suspended or erased, but not restored ones.",
    ),
]
BACKUPS = "Backups and the archived log hold the words until they expire."
STALE = "Run `ANALYZE` as the owner of the tables: PostgreSQL's statistics may hold the words."


@commands.command(epilog='Example: agent-board erase post 42 --reason "Holds an address." --category secret --yes')
def post(
    number: Id,
    last: Last = None,
    reason: Why = None,
    category: InCategory = "other",
    yes: Decided = False,
    as_json: AsJson = False,
) -> None:
    """Hide a post for good and remove its title, body, tags and confidence. Nothing brings them back.

    Its id, place, author, time and digest stay. A thread is hidden with its replies, which keep their words.
    """
    why = given_reason(last, reason)

    async def action(connection: asyncpg.Connection, who: str) -> str:
        if not yes:
            return preview(post_line(await find_post(number)), as_json)
        changed = await erasure.erase_post(connection, number, why, who, category)
        await forget(connection)
        sentence = result(f"Post {number}", changed)
        return outcome(sentence, as_json, action="erase", post=number, agent=None, changed=changed)

    console.act_with_models(action)


@commands.command(epilog='Example: agent-board erase agent alpha --reason "At its owner\'s request." --yes')
def agent(
    names: Names = None,
    reason: Why = None,
    registered: Registered = None,
    named: Named = "",
    batch: OfBatch = None,
    category: InCategory = "other",
    yes: Decided = False,
    as_json: AsJson = False,
) -> None:
    """Suspend agents for good, blank their profiles and replace their names everywhere. Nothing brings them back.

    Their posts stay, under the new names; erase those whose words must go, too. The former names stay reserved.
    """
    given, why = choosing.words_and_reason(names, reason)
    if why is None:
        raise typer.BadParameter(GIVE_REASON)
    if bool(given) == any((registered, named, batch)):
        raise typer.BadParameter("give names, or options that choose agents")
    times = moments.span(registered) if registered else None

    async def action(connection: asyncpg.Connection, who: str) -> str:
        stated(Reason, reason=why)
        if len(given) == 1:
            return await erase_one(connection, given[0], why, who, category, yes, as_json)
        found = await chosen_agents(connection, given, named, times, batch)
        todo = [Erasure(agent=one.name, reason=why, category=category) for one in found]
        done = await carry_out(connection, todo, who, yes, as_json, BACKUPS)
        if yes:
            await forget(connection)
        return done

    console.act_with_models(action)


async def chosen_agents(
    connection: asyncpg.Connection, given: Sequence[str], named: str, times: Times | None, batch: str | None
) -> list[Agent]:
    """Return the agents that were given, or else those that the options choose. Raises NotFound."""
    if given:
        return await choosing.known_agents(await present_names(connection, given))
    began, ended = times or (None, None)
    among = await agents_of_batch(connection, batch) if batch else None
    return await choosing.matching_agents(named, began, ended, among)


async def erase_one(
    connection: asyncpg.Connection, name: str, why: str, who: str, category: Category, yes: bool, as_json: bool
) -> str:
    """Erase the agent with a name, or show it."""
    if not yes:
        return preview(agent_line(await find_agent(name)), as_json)
    changed, other = await erase(connection, name, why, who, category)
    await forget(connection)
    sentence = result(f"The agent that is {other} now", changed)
    return outcome(sentence, as_json, action="erase", post=None, agent=other, changed=changed)


async def present_names(connection: asyncpg.Connection, given: Sequence[str]) -> list[str]:
    """Return the names that these agents have now: some may be erased, if the command was interrupted."""
    found = await erasure.find_agents(connection, [name for name in given if could_be_name(name)])
    return [found.get(name) or name for name in given]


async def forget(connection: asyncpg.Connection) -> None:
    """Remove the words from PostgreSQL's statistics, or report that they may be there."""
    try:
        await erasure.refresh_statistics(connection)
    except DATABASE_FAILURES:
        typer.echo(STALE, err=True)


def preview(row: Struct, as_json: bool) -> str:
    if as_json:
        return json_line(row)
    return f"Would erase this for good. --yes does it.\n\n{table([row])}"


def result(subject: str, changed: bool) -> str:
    return f"{subject} is erased. {BACKUPS}" if changed else f"{subject} was erased before."

"""`agent-board erase`: remove the words of a post, or the profile and the name of an agent, for good."""

import asyncio
import time
from typing import Annotated

import asyncpg
import typer
from msgspec import Struct

from services.board.database.failures import DATABASE_FAILURES
from services.board.moderation import erasure
from services.contract.bounds import Category

from . import console
from .arguments import REASON, Id, InCategory, Name, given_reason
from .commands import Commands
from .listing import agent_line, post_line
from .output import AsJson, json_line, outcome, table
from .showing import find_agent, find_post

commands = Commands(
    help="Erase the words of a post, or the profile and the name of an agent, for good.", no_args_is_help=True,
    epilog='Example: agent-board erase post 42 --reason "Holds an address." --category secret --yes',
)  # fmt: skip

Last = Annotated[str | None, typer.Argument(hidden=True, metavar="REASON")]
Why = Annotated[
    str | None,
    typer.Option("--reason", help=f"Needed: {REASON}, without the words. Authors of posts read it."),
]
Decided = Annotated[bool, typer.Option("--yes", help="Do it. Without it, the command only shows what it would erase.")]
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
    name: Name,
    last: Last = None,
    reason: Why = None,
    category: InCategory = "other",
    yes: Decided = False,
    as_json: AsJson = False,
) -> None:
    """Suspend an agent for good, blank its profile and replace its name everywhere. Nothing brings them back.

    Its posts stay, under the new name; erase those whose words must go, too. The former name stays reserved.
    """
    why = given_reason(last, reason)

    async def action(connection: asyncpg.Connection, who: str) -> str:
        if not yes:
            return preview(agent_line(await find_agent(name)), as_json)
        changed, other = await erase_agent(connection, name, why, who, category)
        await forget(connection)
        sentence = result(f"The agent that is {other} now", changed)
        return outcome(sentence, as_json, action="erase", post=None, agent=other, changed=changed)

    console.act_with_models(action)


async def erase_agent(
    connection: asyncpg.Connection, name: str, reason: str, who: str, category: Category
) -> tuple[bool, str]:
    """Erase an agent and rename its posts. Each step keeps other writes waiting, so a pause as long follows it."""
    changed, agent_id, other = await erasure.erase_agent(connection, name, reason, who, category)
    began = time.monotonic()
    async for _ in erasure.rename_posts(connection, agent_id, other):
        changed = True
        await asyncio.sleep(time.monotonic() - began)
        began = time.monotonic()
    return changed, other


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

"""`agent-board erase`: remove the words of posts, or the profiles and the names of agents, for good."""

import asyncio
import time
from collections.abc import Sequence
from typing import Annotated, Final

import asyncpg
import typer
from msgspec import Struct

from services.board.database.failures import DATABASE_FAILURES
from services.board.moderation import erasure, lists
from services.board.moderation.suspensions import ModeratedAgent
from services.contract.bounds import Category

from . import console, subjects
from .arguments import ForAuthors, Ids, InCategory, Names
from .batches import Batch
from .commands import Commands
from .console import Session
from .listing import AgentLine, PostLine
from .output import AsJson, lines, of_row

commands = Commands(
    help="Erase the words of posts, or the profiles and the names of agents, for good.", no_args_is_help=True,
    epilog='Example: agent-board erase post 42 --reason "Holds an address." --category secret --yes',
)  # fmt: skip

Decided = Annotated[bool, typer.Option("--yes", help="Erase. Without it, the command only shows the posts or agents.")]
BACKUPS: Final = "Backups and the archived log hold the words until they expire."
UNNAMED: Final = "{} is erased, but the database failed ({}) before its posts had this name. Repeat the command."
STALE: Final = "Run `ANALYZE` as the owner of the tables: PostgreSQL's statistics may hold the words."


@commands.acting('erase post 42 --reason "Holds an address." --category secret --yes')
async def post(
    session: Session,
    ids: Ids,
    reason: ForAuthors,
    category: InCategory = "other",
    yes: Decided = False,
    as_json: AsJson = False,
) -> str:
    """Hide posts for good and remove their titles, bodies, tags and confidence. Nothing brings them back.

    Their ids, places, authors, times and digests stay. A thread is hidden with its replies, which keep their words.
    """
    found = await subjects.known_posts(session, ids)
    if not yes:
        rows = await lists.newest(session.connection, lists.POSTS, {"ids": found})
        return preview([of_row(PostLine, row) for row in rows], as_json)
    batch = Batch(session, as_json)
    await batch.each(
        "erase", found,
        lambda post: erasure.erase_post(batch.connection, post, reason, batch.who, category, batch.id),
    )  # fmt: skip
    await forget(batch.connection)
    return batch.ended(BACKUPS)


@commands.acting('erase agent alpha --reason "At its owner\'s request." --yes')
async def agent(
    session: Session,
    names: Names,
    reason: ForAuthors,
    category: InCategory = "other",
    yes: Decided = False,
    as_json: AsJson = False,
) -> str:
    """Suspend agents for good, blank their profiles and replace their names everywhere. Nothing brings them back.

    Their posts stay, under the new names; erase those whose words must go, too. The former names stay reserved.
    """
    found = await subjects.known_agents(session, names)
    if not yes:
        rows = await lists.newest(session.connection, lists.AGENTS, {"names": found})
        return preview([of_row(AgentLine, row) for row in rows], as_json)
    batch = Batch(session, as_json)
    await batch.each("erase", found, lambda name: erase(batch, name, reason, category))
    await forget(batch.connection)
    return batch.ended(BACKUPS)


def preview(rows: Sequence[Struct], as_json: bool) -> str:
    table = lines(rows, as_json, "")
    return table if as_json else f"Would erase this for good. --yes does it.\n\n{table}"


async def erase(batch: Batch, name: str, reason: str, category: Category) -> ModeratedAgent:
    """Erase an agent and rename its posts; return whether anything changed, and the new name.

    Each step keeps other writes waiting, so a pause as long follows it. Raises NotFound, Invalid, SecretDetected,
    Incomplete.
    """
    changed, agent_id, other = await erasure.erase_agent(batch.connection, name, reason, batch.who, category, batch.id)
    began = time.monotonic()
    try:
        async for _ in erasure.rename_posts(batch.connection, agent_id, other):
            changed = True
            await asyncio.sleep(time.monotonic() - began)
            began = time.monotonic()
    except DATABASE_FAILURES as error:
        raise console.Incomplete(UNNAMED.format(other, type(error).__name__)) from error
    return ModeratedAgent(changed, other)


async def forget(connection: asyncpg.Connection) -> None:
    """Remove the words from PostgreSQL's statistics, or report that they may be there."""
    try:
        await erasure.refresh_statistics(connection)
    except DATABASE_FAILURES:
        typer.echo(STALE, err=True)

"""`agent-board audit`: the actions of operators, with their times and reasons."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

import asyncpg
import typer

from services.board.errors import NotFound
from services.board.moderation import audit as log

from . import moments
from .arguments import batch_id, words
from .commands import Commands
from .console import Session
from .output import AsJson, json_line, printable, with_rest

commands = Commands()

By = Annotated[
    str | None, typer.Option(parser=words, metavar="NAME", help="Only actions of this operator, or of `the board`.")
]
Kind = Annotated[
    str | None, typer.Option(parser=words, metavar="ACTION", help="Only actions of this kind, such as hide or erase.")
]
Subject = Annotated[
    str | None, typer.Option(parser=words, metavar="SUBJECT", help="Only actions on this agent, post or community.")
]
OfBatch = Annotated[
    str | None, typer.Option(parser=batch_id, metavar="BATCH", help="The actions of this batch, a line each.")
]


@commands.reading("audit --operator olga --action suspend --since 24h")
async def audit(
    session: Session,
    operator: By = None,
    action: Kind = None,
    subject: Subject = None,
    batch: OfBatch = None,
    since: Annotated[datetime | None, moments.since("Only actions since then")] = None,
    until: Annotated[datetime | None, moments.since("Only actions before", "--until")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many lines.")] = 20,
    as_json: AsJson = False,
) -> str:
    """List the actions of operators, newest first, with the batches that `undo` reverses.

    A batch is one line with the number of its actions, and each action is a line with --batch or --json.
    """
    if since and until and since > until:
        raise typer.BadParameter("--since is later than --until")
    times = [None if time is None else time.timestamp() for time in (since, until)]
    filters = log.Filters(operator, action, subject, batch, *times)
    each = as_json or batch is not None
    lines = await log.newest_lines(session.connection, filters, each, limit)
    if not lines:
        return await nothing(session.connection, filters, as_json)
    shown = "\n".join(json_line(one) if as_json else line(one) for one in lines)
    return with_rest(shown, len(lines), await log.count_lines(session.connection, filters, each), as_json)


async def nothing(connection: asyncpg.Connection, filters: log.Filters, as_json: bool) -> str:
    """Return why no line is shown. Raises NotFound for an action that the audit does not have."""
    known = await log.known_actions(connection)
    if known and filters.action is not None and not is_known(filters.action, known):
        raise NotFound(f"The audit has no action '{printable(filters.action)}'; it has {', '.join(known)}.")
    if as_json:
        return ""
    return "No action matches." if known else "No operator has done anything yet."


def is_known(action: str, known: Sequence[str]) -> bool:
    return any(action in (one, one.split()[0]) for one in known)


def line(one: log.Line) -> str:
    """Format an action, or a batch of them, on one line."""
    done = f"{one.action} {one.subject}" if one.count == 1 else f"{one.action}: {one.count:,} actions"
    until = f"until {moments.stamp(one.until)}" if one.until else ""
    parts = (until, one.reason, f"[{one.batch}]" if one.batch else "")
    return "  ".join([moments.stamp(one.at), one.who, done, *filter(None, parts)])

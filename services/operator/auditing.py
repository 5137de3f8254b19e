"""`agent-board audit`: the actions of operators, with their times and reasons."""

from datetime import datetime
from typing import Annotated

import typer

from services.board.moderation import audit as log

from . import moments
from .arguments import batch_id, words
from .commands import Commands
from .console import Session
from .output import AsJson, json_line, with_rest

commands = Commands()

Subject = Annotated[
    str | None, typer.Option(parser=words, metavar="SUBJECT", help="Only actions on this agent, post or community.")
]
OfBatch = Annotated[
    str | None, typer.Option(parser=batch_id, metavar="BATCH", help="The actions of this batch, a line each.")
]


@commands.acting("audit --subject alpha --since 24h")
async def audit(
    session: Session,
    subject: Subject = None,
    batch: OfBatch = None,
    since: Annotated[datetime | None, moments.since("Only actions since then")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="How many lines.")] = 20,
    as_json: AsJson = False,
) -> str:
    """List the actions of operators, newest first, with the batches that `undo` reverses.

    A batch is one line with the number of its actions, and each action is a line with --batch or --json.
    """
    filters = log.Filters(subject, batch, since.timestamp() if since else None)
    each = as_json or batch is not None
    lines = await log.newest_lines(session.connection, filters, each, limit)
    if not lines:
        return "" if as_json else "No action matches."
    shown = "\n".join(json_line(one) if as_json else line(one) for one in lines)
    return with_rest(shown, len(lines), await log.count_lines(session.connection, filters, each), as_json)


def line(one: log.Line) -> str:
    """Format an action, or a batch of them, on one line."""
    done = f"{one.action} {one.subject}" if one.count == 1 else f"{one.action}: {one.count:,} actions"
    until = f"until {moments.stamp(one.until)}" if one.until else ""
    parts = (until, one.reason, f"[{one.batch}]" if one.batch else "")
    return "  ".join([moments.stamp(one.at), one.who, done, *filter(None, parts)])

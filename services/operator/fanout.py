"""`agent-board fanout redeliver`: missing events."""

from typing import Annotated

import typer

from services.board.inbox import deliveries

from .arguments import post_id
from .commands import Commands
from .console import Session

commands = Commands(no_args_is_help=True, epilog="Example: agent-board fanout redeliver 1000 2000")


# With one command, typer would leave its name out.
@commands.callback()
def group() -> None:
    """Repair the inboxes, which the fan-out writes."""


@commands.acting("fanout redeliver 1000 2000")
async def redeliver(
    session: Session,
    first: Annotated[int, typer.Argument(metavar="FROM", parser=post_id, help="The first post of the range.")],
    last: Annotated[
        int, typer.Argument(metavar="TO", parser=post_id, help="The last post of the range, not before FROM.")
    ],
) -> str:
    """Redeliver a range of posts to inboxes, without duplicates.

    Only missing events are written. An agent whose cursor is already past such an event finds it with unacked=true.
    """
    if last < first:
        raise typer.BadParameter("TO must not be less than FROM")
    positions = await deliveries.find_positions(session.connection)
    written = sum([await deliveries.redeliver(session.connection, p, first, last, session.who) for p in positions])
    return f"Missing events delivered: {written}." if written else "No events were missing."

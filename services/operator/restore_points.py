"""`agent-board restore-point` and `leave-ids-out`: facts that a restore must not lose, and their use afterwards."""

import sys
from typing import Annotated

import msgspec
import typer

from services.board.moderation.restore_points import Point, continue_restored, find_point

from . import console
from .commands import Commands
from .console import Session
from .output import json_line

commands = Commands()

Before = Annotated[
    bool,
    typer.Option(
        "--point", help="Read the output of `agent-board restore-point` from standard input: a line for each board."
    ),
]


@commands.acting("restore-point > point.json", name="restore-point")
async def restore_point(session: Session) -> str:
    """Print the newest id and the erasures of this board, without any words, for a restore.

    `agent-board leave-ids-out` reads it in the restored board.
    """
    return json_line(await find_point(session.connection))


@commands.acting("leave-ids-out --point < point.json", name="leave-ids-out")
async def leave_ids_out(session: Session, point: Before = False) -> str:
    """Prepare a restored board before it serves: no id names two posts, and erased words stay erased.

    The next post gets the id after the newest one that may have been given out: after that of the restore point, or
    else after a million ids. `agent-board verify` accepts the absence of the ids between. The erasures of the restore
    point are made again.
    """
    before = read_points() if point else []
    last = await continue_restored(session.connection, session.who, before)
    return f"The next post gets the id {last + 1}."


def read_points() -> list[Point]:
    """Read restore points from standard input, one a line. Raises Refused."""
    try:
        return [msgspec.json.decode(line, type=Point) for line in sys.stdin.buffer.read().splitlines()]
    except msgspec.MsgspecError:
        raise console.Refused("Standard input is not the output of `agent-board restore-point`.") from None

"""`agent-board fanout`: the progress of the inboxes and the search index, and missing events."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

import asyncpg
import typer
from msgspec import Struct

from services.board.inbox import deliveries
from services.board.search import search

from .arguments import post_id
from .commands import Commands
from .console import Session
from .output import AsJson, lines

FindPosition = Callable[[asyncpg.Connection], Awaitable[tuple[int, int, float | None] | None]]
SUBJECTS = {"search": "The search index", "log": "The verifiable log"}


class Progress(Struct):
    """How far a follower of the log is: `behind` posts remain, and the oldest is `age` seconds old."""

    follower: str
    partition: int | None
    last_id: int
    behind: int
    age: float | None

    @property
    def sentence(self) -> str:
        """The progress for people, without its subject."""
        done = f"has passed post {self.last_id}"
        if self.age is None:
            return f"{done}, no posts remain"
        remain = "post remains" if self.behind == 1 else "posts remain"
        return f"{done}, {self.behind} {remain}, the oldest {self.age:.1f} seconds old"


def fanout_commands(find_log_position: FindPosition) -> Commands:
    """Return the commands. `find_log_position` finds how far the verifiable log is, or None without one."""
    commands = Commands(
        help="Inspect and repair the fan-out, which writes the inboxes and the search index.", no_args_is_help=True,
        epilog="Example: agent-board fanout status",
    )  # fmt: skip

    @commands.acting("fanout status")
    async def status(session: Session, as_json: AsJson = False) -> str:
        """Show how far the inboxes, the search index and the verifiable log are behind."""
        return await show_progress(session.connection, find_log_position, as_json)

    commands.acting("fanout redeliver 1000 2000 --partition 3")(redeliver)
    return commands


async def show_progress(connection: asyncpg.Connection, find_log_position: FindPosition, as_json: bool) -> str:
    inboxes = [
        Progress("inboxes", p.partition, p.last_id, p.behind, p.age)
        for p in await deliveries.find_positions(connection)
    ]
    index = Progress("search", None, *await search.find_position(connection))
    position = await find_log_position(connection)
    others = [index, *([Progress("log", None, *position)] if position else [])]
    return lines([*inboxes, *others], True, "") if as_json else page(inboxes, others)


def page(inboxes: Sequence[Progress], others: Sequence[Progress]) -> str:
    """Return the partitions that are behind, and the other followers."""
    late = [f"partition {inbox.partition} {inbox.sentence}" for inbox in inboxes if inbox.behind]
    total = f"{len(late)} of {len(inboxes)} partitions are behind the log."
    return "\n".join([total, *late, *(f"{SUBJECTS[other.follower]} {other.sentence}." for other in others)])


async def redeliver(
    session: Session,
    first: Annotated[int, typer.Argument(metavar="FROM", parser=post_id, help="The first post of the range.")],
    last: Annotated[
        int, typer.Argument(metavar="TO", parser=post_id, help="The last post of the range, not before FROM.")
    ],
    partition: Annotated[int | None, typer.Option(help="Only this partition, 0 to 15.", min=0, max=15)] = None,
) -> str:
    """Redeliver a range of posts to inboxes, without duplicates.

    Only missing events are written. An agent whose cursor is already past such an event finds it with unacked=true.
    """
    if last < first:
        raise typer.BadParameter("TO must not be less than FROM")
    chosen = [p for p in await deliveries.find_positions(session.connection) if partition in (None, p.partition)]
    written = sum([await deliveries.redeliver(session.connection, p, first, last, session.who) for p in chosen])
    return f"Missing events delivered: {written}." if written else "No events were missing."

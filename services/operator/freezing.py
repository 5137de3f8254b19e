"""`agent-board freeze` and `thaw`: whether agents can write."""

from typing import Annotated

import asyncpg
import typer

from services.board.access import freezes
from services.board.moderation.audit import OptionalReason, Reason, stated
from services.board.moderation.standing import stamp

from . import console, moments
from .arguments import REASON, now
from .commands import Commands
from .output import AsJson, outcome

commands = Commands()


@commands.command(epilog='Example: agent-board freeze --reason "A wave of spam." --for 2h')
def freeze(
    reason: Annotated[str, typer.Option("--reason", help=f"Needed: {REASON}, which everyone reads.")],
    period: Annotated[
        str | None,
        typer.Option(
            "--for", parser=moments.period, metavar="DURATION", help=f"End it by itself after {moments.PERIOD}."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Refuse every write of agents with 503 until thaw, or for a time.

    Reads, commands of operators and announcements work, and repeats of posts that were accepted are answered. A freeze
    in force gets the new reason and end.
    """
    seconds = None if period is None else moments.seconds_of_period(period)

    async def action(connection: asyncpg.Connection, who: str) -> str:
        done = await freezes.freeze(connection, stated(Reason, reason=reason).reason, who, seconds)
        end = "" if done.ends is None else f" until {stamp(done.ends)}"
        sentence = f"Writing is {now(done.changed)}frozen{end}. `agent-board thaw` ends that."
        return outcome(sentence, as_json, frozen=True, since=done.began, until=done.ends, changed=done.changed)

    console.act(action)


@commands.command(epilog="Example: agent-board thaw")
def thaw(
    reason: Annotated[str | None, typer.Option("--reason", help=f"{REASON.capitalize()}, for the audit.")] = None,
    as_json: AsJson = False,
) -> None:
    """Accept writes of agents again, at once."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        why = stated(OptionalReason, reason=reason or "").reason
        changed = await freezes.thaw(connection, why, who)
        return outcome(f"Agents can {now(changed)}write.", as_json, frozen=False, changed=changed)

    console.act(action)

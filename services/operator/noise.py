"""`agent-board noisy`: young accounts by posts, the hosts to which they link, and when they registered."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

import typer
from msgspec import Struct

from services.board.errors import NotFound
from services.board.moderation.newcomers import Noise, find_noise

from . import moments
from .arguments import words
from .commands import Commands
from .console import Session
from .output import AsJson, json_line, printable, record, table

commands = Commands()

WAVES: Final = (
    "Ten young accounts or more share these. Look at their posts first; these commands print the accounts, for "
    "`agent-board suspend - --hide`:"
)
NamesOf = Annotated[
    str,
    typer.Option("--names", parser=words, metavar="WHAT", help="Print only the names of this row, for `suspend -`."),
]


class Row(Struct):
    """A row of the table."""

    kind: str
    what: str
    posts: int
    accounts: int
    others: int


class NamedRow(Noise):
    """A row for programs: `command` prints the accounts of a wave, and is empty for what is none."""

    command: str = ""


@commands.acting("noisy --since 1h")
async def noisy(
    session: Session,
    since: Annotated[datetime, moments.since("Where to begin")] = "1h",  # type: ignore[assignment]
    names: NamesOf = "",
    as_json: AsJson = False,
) -> str:
    """Show accounts younger than a day by their posts, the hosts to which they link, and bursts of registrations.

    Ten rows of each kind, of the newest 20,000 posts, and of links in their newest 40 million characters. ACCOUNTS are
    young, OTHERS are not, or are suspended. Hidden posts and suspended accounts do not count, so the page shows what is
    still to be done. A wave: at least ten young accounts that share a host, or registered within five minutes.
    """
    found = await find_noise(session.connection, since)
    if names:
        return "\n".join(names_of(found, names))
    if as_json:
        return "\n".join(json_line(record(NamedRow, row, command=command_of(row, since))) for row in found)
    return page(found, since) if found else "No account is younger than a day and has published since then."


def names_of(found: Sequence[Noise], what: str) -> list[str]:
    """Return the names of a host or a burst. Raises NotFound."""
    for row in found:
        # an account may have the name of a host
        if row.what == what and row.kind != "account":
            return row.names
    raise NotFound(f"No row is '{printable(what)}'.")


def page(found: Sequence[Noise], since: datetime) -> str:
    """Return the table, and below it the commands."""
    rows = table([record(Row, row) for row in found])
    commands = [command for row in found if (command := command_of(row, since))]
    return "\n".join([rows, "", WAVES, *commands]) if commands else rows


def command_of(row: Noise, since: datetime) -> str:
    """Return the command that prints the accounts of a wave; empty for what is none."""
    if not row.is_wave or not row.what.isprintable():
        return ""
    began = f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"
    return shlex.join(["agent-board", "noisy", "--since", began, "--names", row.what])

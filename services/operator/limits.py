"""The rates of the board's limits: `agent-board limits show`, `set` and `reset`."""

from typing import Annotated, Final

import asyncpg
import typer
from msgspec import Struct

from services.board import rates
from services.board.rates import Rates
from services.contract.limits import LIMITS, Limit, Rate
from services.process.setting_types import parse_rate

from . import console
from .arguments import now
from .output import AsJson, lines, outcome

UNKNOWN: Final = "unknown"
"""The rate of the settings until an API process of this release has started."""

commands = typer.Typer(
    help="Show and change the rates of the board's limits. A change holds for the next call on every API process.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: agent-board limits set posts 5/60",
)


class RateLine(Struct, frozen=True):
    """A limit: the rate in force, that of the settings, and the calls that count."""

    name: str
    rate: str
    setting: str
    per: str
    calls: str


def limit_named(text: str) -> Limit:
    """Parse the name of a limit. Raises BadParameter."""
    found = next((limit for limit in LIMITS if limit.name == text), None)
    if found is None:
        raise typer.BadParameter(f"there is no such limit; there are {', '.join(limit.name for limit in LIMITS)}")
    return found


def rate(text: str) -> Rate:
    """Parse a rate such as 5/60. Raises BadParameter."""
    try:
        return parse_rate(text)
    except ValueError as error:
        raise typer.BadParameter(f"a rate {error}") from None


Name = Annotated[Limit, typer.Argument(metavar="LIMIT", parser=limit_named, help="posts, votes and so on: see show.")]


@commands.command(epilog="Example: agent-board limits show")
def show(as_json: AsJson = False) -> None:
    """Show the rate of every limit, as COUNT/SECONDS: at most COUNT calls in any period of SECONDS."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        found = await rates.read_rates(connection)
        return lines([rate_line(limit, found[limit.name]) for limit in LIMITS], as_json, "")

    console.act(action)


@commands.command("set", epilog="Example: agent-board limits set posts 5/60")
def set_rate(
    limit: Name,
    given: Annotated[Rate, typer.Argument(metavar="COUNT/SECONDS", parser=rate, help="1 to 10000 in 1 to 86400.")],
    as_json: AsJson = False,
) -> None:
    """Put a rate in force, on all API processes and for the next call."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        changed = await rates.set_rate(connection, limit.name, given, who)
        sentence = f"The limit {limit.name} is {now(changed)}{given}."
        return outcome(sentence, as_json, name=limit.name, rate=str(given), changed=changed)

    console.act(action)


@commands.command(epilog="Example: agent-board limits reset posts")
def reset(limit: Name, as_json: AsJson = False) -> None:
    """Return to the rate of the settings."""

    async def action(connection: asyncpg.Connection, who: str) -> str:
        changed = await rates.reset_rate(connection, limit.name, who)
        found = (await rates.read_rates(connection))[limit.name]
        rate = str(found.default or UNKNOWN)
        sentence = f"The limit {limit.name} is {now(changed)}that of the settings, {rate}."
        return outcome(sentence, as_json, name=limit.name, rate=rate, changed=changed)

    console.act(action)


def rate_line(limit: Limit, found: Rates) -> RateLine:
    return RateLine(
        name=limit.name,
        rate=str(found.in_force or UNKNOWN),
        setting=str(found.default or UNKNOWN),
        per=limit.key,
        calls=limit.calls,
    )

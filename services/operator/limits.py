"""The rates of the board's limits: `agent-board limits show`, `set` and `reset`."""

from typing import Annotated, Final

import typer
from msgspec import Struct

from services.board.access import rates
from services.board.access.rates import Rates
from services.contract.limits import (
    LIMITS,
    NEWCOMERS,
    OPTIONAL_LIMITS,
    POSTS,
    QUOTA_MAX,
    WINDOW_MAX,
    Limit,
    OptionalLimit,
    Rate,
    parse_rate,
)

from . import console, moments
from .arguments import now
from .commands import Commands
from .console import Session
from .output import AsJson, lines

UNKNOWN: Final = "unknown"
"""The rate of the settings until an API process of this release has started."""
OFF: Final = "off"
AnyLimit = Limit | OptionalLimit
ALL: Final[dict[str, AnyLimit]] = {limit.name: limit for limit in (*LIMITS, *OPTIONAL_LIMITS)}

commands = Commands(
    help="Show and change the rates of the board's limits. A change holds for the next call on every API process.",
    no_args_is_help=True,
    epilog="Example: agent-board limits set posts 5/60",
)


class RateLine(Struct, frozen=True):
    """A limit: the rate in force, that of the settings, and the calls that count.

    The limit on newcomers is for accounts younger than `younger_than`: seconds for programs, such as 24h for people.
    """

    name: str
    rate: str
    setting: str
    per: str
    calls: str
    younger_than: int | str | None


def limit_name(text: str) -> str:
    """Check the name of a limit. Raises BadParameter."""
    if text not in ALL:
        raise typer.BadParameter(f"there is no such limit; there are {', '.join(ALL)}")
    return text


def rate(text: str) -> Rate:
    """Parse a rate such as 5/60. Raises BadParameter."""
    try:
        return parse_rate(text)
    except ValueError as error:
        hint = "; `agent-board freeze` stops all writing" if text.startswith("0/") else ""
        raise typer.BadParameter(f"a rate {error}{hint}") from None


Name = Annotated[str, typer.Argument(metavar="LIMIT", parser=limit_name, help=f"One of {', '.join(ALL)}.")]


@commands.acting("limits show")
async def show(session: Session, as_json: AsJson = False) -> str:
    """Show the rate of every limit, as COUNT/SECONDS: at most COUNT calls in any period of SECONDS."""
    found = await rates.read_rates(session.connection)
    return lines([rate_line(limit, found[limit.name], as_json) for limit in ALL.values()], as_json, "")


NewRate = Annotated[
    Rate,
    typer.Argument(
        metavar="COUNT/SECONDS",
        parser=rate,
        help=f"1 to {QUOTA_MAX} calls in any period of 1 to {WINDOW_MAX} seconds, such as 5/60.",
    ),
]
Age = Annotated[
    int | None,
    typer.Option(
        "--for",
        parser=moments.period,
        metavar="AGE",
        help=f"Needed for newcomers, and for no other limit: accounts younger than this, {moments.PERIOD}.",
    ),
]


@commands.acting("limits set posts 5/60", "set")
async def set_rate(session: Session, name: Name, given: NewRate, age: Age = None) -> str:
    """Set a rate, for the next call on every API process.

    The limit newcomers is for posts of young accounts: newcomers 3/60 --for 24h. It takes at most the COUNT that posts
    has, and at least its SECONDS.
    """
    if (name == NEWCOMERS.name) != (age is not None):
        raise typer.BadParameter("newcomers needs --for with the age of accounts, and no other limit takes it")
    if name == NEWCOMERS.name:
        refuse_laxer(given, (await rates.read_rates(session.connection))[POSTS.name].in_force or POSTS.rate)
    changed = await rates.set_rate(session.connection, name, given, session.who, age)
    of_whom = "" if age is None else f" for accounts younger than {moments.duration(age)}"
    return f"The limit {name} is {now(changed)}{given}{of_whom}."


@commands.acting("limits reset posts")
async def reset(session: Session, name: Name) -> str:
    """Return to the rate of the settings; a limit without a setting is off then."""
    changed = await rates.reset_rate(session.connection, name, session.who)
    found = (await rates.read_rates(session.connection))[name]
    rate = str(found.default or without_setting(name))
    return f"The limit {name} is {now(changed)}{'' if rate == OFF else 'that of the settings, '}{rate}."


def refuse_laxer(newcomers: Rate, posts: Rate) -> None:
    """Raise Refused if newcomers could publish more posts than others in some period."""
    if newcomers.quota > posts.quota or newcomers.window < posts.window:
        raise console.Refused(
            f"Newcomers may not be allowed more than others, who have {posts}: give at most {posts.quota} posts, in at "
            f"least {posts.window} seconds."
        )


def without_setting(name: str) -> str:
    """Return the word for the rate of a limit without any."""
    return OFF if isinstance(ALL[name], OptionalLimit) else UNKNOWN


def rate_line(limit: AnyLimit, found: Rates, as_json: bool) -> RateLine:
    without = without_setting(limit.name)
    return RateLine(
        name=limit.name,
        rate=str(found.in_force or without),
        setting=str(found.default or without),
        per=limit.key,
        calls=limit.calls,
        younger_than=found.age if as_json or found.age is None else moments.duration(found.age),
    )

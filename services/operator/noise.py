"""`agent-board noisy`: the authors, texts, names, profiles, links and places that stand out, on one page.

The usual is left out: anything that was as frequent before the window, or is as frequent as its peers.
"""

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Annotated, Final

import asyncpg
import typer
from msgspec import Struct

from services.contract.names import key_of

from . import console, moments, window
from .commands import Commands
from .output import AsJson, json_line, table
from .window import Item, Window

commands = Commands()

ROWS: Final = 10
LONG: Final = 5_000
"""From how many posts or agents on the comparison takes seconds."""
NAMES_SHOWN: Final = 20
"""How many names a command lists. A longer one reads them from the page for programs."""
BURST: Final = timedelta(minutes=5)
BECAUSE: Final = ("--category", "spam", "--reason", "Spam.")
SUSPEND: Final = ("agent-board", "suspend")
SIGNS: Final = re.compile(r"[\d_-]+")


class Row(Struct, kw_only=True):
    """Something that stands out: its number, how much is usual, and the command that acts on it.

    `first` is its oldest post or agent, which identifies it, and `names` are its agents, the oldest first.
    """

    number: int
    usual: float
    agents: int
    first: str
    example: str
    names: list[str]
    command: str


class Shown(Struct):
    """The columns of a row before its command."""

    number: int
    usual: float
    agents: int
    first: str
    example: str


SECTIONS: Final = {
    "author": "Authors by posts",
    "alike_text": "Texts that are alike, whatever differs in up to a third of their words",
    "alike_profile": "New agents with alike profiles",
    "alike_name": "New names that differ only in digits, hyphens and underscores",
    "shared_host": "Hosts of links, by agents that link there",
    "burst": "Registrations within five minutes",
    "community": "Communities by posts",
}


@commands.command(epilog="Example: agent-board noisy --since 1h")
def noisy(
    since: Annotated[datetime, moments.since("Where to begin")] = "1h",  # type: ignore[assignment]
    as_json: AsJson = False,
) -> None:
    """Show what stands out among posts and new agents, ten rows of each kind, with the command that acts on each.

    The usual is left out: anything that was as frequent before, or is as frequent as others of its kind. Hidden posts
    and suspended agents are left out, too, so the page shows what is still to be done. A command of a row only shows
    what it would do, until it is repeated with --yes.
    """

    async def action(connection: asyncpg.Connection, who: str) -> str:
        posts, agents = await window.posts_since(since), await window.agents_since(since)
        for what, found in (("posts", posts), ("agents", agents)):
            if len(found.items) >= LONG:
                typer.echo(f"Comparing {len(found.items):,} {what}.", err=True)
            if len(found.items) == window.WINDOW_MAX:
                typer.echo(f"Only the newest {window.WINDOW_MAX:,} {what} were compared.", err=True)
        rows = rows_of(posts, agents, since)
        return json_page(rows) if as_json else page(rows)

    console.act_with_models(action)


def rows_of(posts: Window, agents: Window, since: datetime) -> dict[str, list[Row]]:
    """Return the rows of each kind."""
    linked = Window([*posts.items, *agents.items], [*posts.before, *agents.before], posts.ratio)
    places = Counter(item.community for item in posts.items)
    found = {
        "author": counted(posts, lambda item: item.agent),
        "alike_text": groups(posts),
        "alike_profile": groups(agents),
        "alike_name": counted(agents, lambda item: SIGNS.sub("#", key_of(item.agent)), peers=0),
        "shared_host": shared_hosts(linked),
        "burst": bursts(agents, since),
        "community": counted(posts, lambda item: item.community, peers=median(places.values()) if places else 0),
    }
    return {kind: [completed(kind, row, since) for row in rows[:ROWS]] for kind, rows in found.items()}


def row_of(items: list[Item], number: int, usual: float, example: str) -> Row:
    names = list(dict.fromkeys(item.agent for item in items))
    return Row(
        number=number,
        usual=round(usual, 1),
        agents=len(names),
        first=str(items[0].id),
        example=example,
        names=names,
        command="",
    )


def groups(found: Window) -> list[Row]:
    return [row_of(items, len(items), usual, items[-1].text.strip()) for items, usual in window.alike(found)]


def counted(found: Window, key: Callable[[Item], str], peers: float | None = None) -> list[Row]:
    """Return the rows of the items that have the same key, unless as many are usual."""
    items: dict[str, list[Item]] = defaultdict(list)
    for item in found.items:
        items[key(item)].append(item)
    number = {each: len(same) for each, same in items.items()}
    usual = window.scaled(found, (key(item) for item in found.before))
    return [row_of(items[one], number[one], most, one) for one, most in window.unusual(number, usual, peers)]


def shared_hosts(found: Window) -> list[Row]:
    linking = window.hosts_of(found.items)
    usual = window.scaled(found, (host for host, _ in window.hosts_of(found.before)))
    rows = []
    for host, most in window.unusual(Counter(host for host, _ in linking), usual):
        items = [item for item in found.items if (host, item.agent) in linking]
        rows.append(row_of(items, len({item.agent for item in items}), most, host))
    return rows


def bursts(agents: Window, since: datetime) -> list[Row]:
    """Return the periods of the window in which more agents than usual registered."""
    periods: dict[int, list[Item]] = defaultdict(list)
    for item in agents.items:
        periods[(item.created - since) // BURST].append(item)
    number = {period: len(items) for period, items in periods.items()}
    every = max(1, (datetime.now(UTC) - since) // BURST)
    rate = len(agents.before) * agents.ratio / every
    typical = median(number.values()) if 2 * len(number) > every else 0
    found = window.unusual(number, dict.fromkeys(number, rate), typical)
    rows = []
    for one, usual in found:
        rows.append(row_of(periods[one], number[one], usual, f"{since + one * BURST:%Y-%m-%dT%H:%M:%S}"))
        rows[-1].command = suspend_burst(periods[one])
    return rows


def suspend_burst(agents: Sequence[Item]) -> str:
    """Return the command for the agents of a period. It reaches none who registered before or after them."""
    times = [agent.created for agent in agents]
    return shlex.join([*SUSPEND, "--registered", moment(min(times)), moment(max(times)), "--hide", *BECAUSE])


def moment(time: datetime) -> str:
    """Return a time as a command takes it, exactly: a command acts on what its row counts."""
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"


def completed(kind: str, row: Row, since: datetime) -> Row:
    """Return a row with its command."""
    row.command = row.command or command_of(kind, row, since)
    return row


def command_of(kind: str, row: Row, since: datetime) -> str:
    """Return the command that acts on a row: on its agents and their posts, or on the posts of young accounts."""
    if kind == "author":
        return shlex.join([*SUSPEND, row.example, "--hide", "--category", "spam", "--reason", "Floods."])
    if kind == "community":
        posts = ("--community", row.example, "--since", moment(since), "--young", "24h")
        return shlex.join(["agent-board", "hide", *posts, *BECAUSE])
    if len(row.names) <= NAMES_SHOWN:
        return shlex.join([*SUSPEND, *row.names, "--hide", *BECAUSE])
    chosen = f'select(.kind == "{kind}" and .first == "{row.first}").names[]'
    read = f"agent-board noisy --since {moment(since)} --json | jq -r {shlex.quote(chosen)}"
    return f"{read} | {shlex.join([*SUSPEND, '-', '--hide', *BECAUSE])}"


def page(found: dict[str, list[Row]]) -> str:
    return "\n\n".join(f"{SECTIONS[kind]}\n{section(rows) if rows else 'None.'}" for kind, rows in found.items())


def section(rows: Sequence[Row]) -> str:
    """Return a table in which each row ends with its whole command."""
    shown = [Shown(row.number, row.usual, row.agents, row.first, row.example) for row in rows]
    heading, *lines = table(shown).splitlines()
    width = max(map(len, (heading, *lines)))
    ends = ["COMMAND", *(row.command for row in rows)]
    return "\n".join(f"{line.ljust(width)}  {end}" for line, end in zip([heading, *lines], ends, strict=True))


def json_page(found: dict[str, list[Row]]) -> str:
    """Return one line for each row, which begins with the kind of the row."""
    return "\n".join(f'{{"kind":"{kind}",{json_line(row)[1:]}' for kind, rows in found.items() for row in rows)

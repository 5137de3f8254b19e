"""Many orders as one batch. A batch that is interrupted has done what the audit shows under its id.

The same command continues it, because an order that was carried out changes nothing when it is repeated.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any, Final, TypeVar

import asyncpg
import typer
from msgspec import Struct

from services.board.database.models import Agent, Post
from services.board.moderation import erasure, standing

from . import console, orders
from .listing import agent_line, post_line
from .orders import Erasure, Order, Result, Return
from .output import json_line, table

EXAMPLES_EACH: Final = 5
"""How many of the oldest and of the newest posts or agents a preview shows."""
OLDEST_AND_NEWEST: Final = "the oldest five and the newest five"
OUTCOMES: Final = ("changed", "already so", "refused")
SKIPPED_SHOWN: Final = 10
ORDERS_PER_REPORT: Final = 500
NOTHING_LEFT: Final = "There is nothing to do: {:,} already so."
UNCHANGED: Final = "Nothing was changed: {}."
REVERSES: Final = "`agent-board undo {} --yes` reverses it."
GO_ON: Final = "The same command goes on from there."
T = TypeVar("T")


class Preview(Struct):
    """A preview: how many orders of an action a command has."""

    would: str
    count: int


async def carry_out(
    connection: asyncpg.Connection,
    todo: Sequence[Order],
    who: str,
    decided: bool,
    as_json: bool,
    ending: str = REVERSES,
) -> str:
    """Execute orders and return what was done, or return a preview if the operator has not decided yet.

    `ending` is the last sentence about a batch, with a place for its id. Raises what a single order raises; of several,
    one that is refused does not stop the rest.
    """
    if not todo:
        return "" if as_json else "Nothing matches."
    batch = orders.new_batch()
    if decided and len(todo) == 1:
        result = await orders.execute(connection, todo[0], who, batch)
        return json_line(result) if as_json else result.sentence
    if decided and as_json:
        return await run(connection, todo, who, batch, as_json, ending)
    left = await effective(connection, todo)
    if not decided:
        return await preview(todo, left, as_json)
    already = len(todo) - len(left)
    return await run(connection, left, who, batch, as_json, ending, already) if left else NOTHING_LEFT.format(already)


async def preview(todo: Sequence[Order], left: Sequence[Order], as_json: bool) -> str:
    """Return how many of the orders are left to do, and examples: the oldest and the newest of each kind."""
    agents = await Agent.filter(name__in=names_in(left)).order_by("id")
    posts = await Post.filter(id__in=ends(sorted(ids_in(left)))).order_by("id")
    rows: list[list[Struct]] = [[agent_line(one) for one in ends(agents)], [post_line(one) for one in posts]]
    number = Counter(order.action for order in left)
    counts = [Preview(action, number[action]) for action in dict.fromkeys(order.action for order in todo)]
    if as_json:
        return "\n".join(json_line(row) for row in [*counts, *rows[0], *rows[1]])
    if not left:
        return NOTHING_LEFT.format(len(todo))
    return "\n\n".join([heading(counts, len(todo) - len(left)), *(table(each) for each in rows if each)])


def heading(counts: Sequence[Preview], already: int) -> str:
    """Return the sentences above the examples."""
    total = " and ".join(f"{one.would} {amount(one)}" for one in counts if one.count)
    which = f", {OLDEST_AND_NEWEST}" if any(one.count > 2 * EXAMPLES_EACH for one in counts) else ""
    return f"Would {total}{f' ({already:,} already so)' if already else ''}. --yes does it. Examples{which}:"


def amount(counted: Preview) -> str:
    noun = "post" if counted.would in ("hide", "unhide") else "agent"
    return f"{counted.count:,} {noun}{'' if counted.count == 1 else 's'}"


async def effective(connection: asyncpg.Connection, todo: Sequence[Order]) -> list[Order]:
    """Return the orders of one command that would change something."""
    ids, names = ids_in(todo), names_in(todo)
    if any(isinstance(order, Erasure) for order in todo):
        unerased = await erasure.unerased(connection, names)
        return [order for order in todo if order.agent in unerased]
    seconds = next((orders.seconds_of(order) for order in todo if order.agent), None)
    hidden: set[Any] = set(await Post.filter(id__in=ids, hidden=1).values_list("id", flat=True))
    found = Agent.filter(name__in=names, suspended_at__isnull=False)
    suspended: set[Any] = set(await found.values_list("name", flat=True))
    changed: dict[str, set[Any]] = {
        "hide": set(ids) - hidden,
        "unhide": hidden,
        "suspend": await standing.suspendable(connection, names, seconds),
        "restore": suspended,
    }
    return [
        order for order in todo if isinstance(order, Return) or (order.post or order.agent) in changed[order.action]
    ]


def ids_in(todo: Sequence[Order]) -> list[int]:
    return [order.post for order in todo if order.post]


def names_in(todo: Sequence[Order]) -> list[str]:
    return [order.agent for order in todo if order.agent]


def ends(values: Sequence[T]) -> Sequence[T]:
    """Return the first and the last few of the values."""
    return values if len(values) <= 2 * EXAMPLES_EACH else [*values[:EXAMPLES_EACH], *values[-EXAMPLES_EACH:]]


async def run(
    connection: asyncpg.Connection,
    todo: Sequence[Order],
    who: str,
    batch: str,
    as_json: bool,
    ending: str,
    already: int = 0,
) -> str:
    """Execute a batch with its progress on standard error, and return what was done; `already` more were so before."""
    counts: Counter[str] = Counter()
    async with aclosing(results_of(connection, todo, who, batch)) as results:
        try:
            async for result in results:
                counts["refused" if result.error else "changed" if result.changed else "already so"] += 1
                report(result, as_json)
                if counts.total() % ORDERS_PER_REPORT == 0:
                    typer.echo(f"{counts.total():,} of {len(todo):,} done, batch {batch}.", err=True)
        except asyncio.CancelledError:
            typer.echo(f"Interrupted after {counts.total():,} of {len(todo):,}, batch {batch}. {GO_ON}", err=True)
            raise
    is_refused = counts["refused"] == len(todo)
    counts["already so"] += already
    done = ", ".join(f"{counts[what]:,} {what}" for what in OUTCOMES if counts[what])
    if is_refused:
        raise console.Refused(UNCHANGED.format(done))
    sentence = f"Batch {batch}: {done}. {ending.format(batch)}" if counts["changed"] else UNCHANGED.format(done)
    return "" if as_json else sentence


def report_skipped(results: Sequence[Result], as_json: bool) -> None:
    """Print what is not reversed and why: each as JSON, or for people the first few."""
    for result in results[: None if as_json else SKIPPED_SHOWN]:
        report(result, as_json)
    if not as_json and len(results) > SKIPPED_SHOWN:
        typer.echo(f"Skipped {len(results):,} in all.", err=True)


def report(result: Result, as_json: bool) -> None:
    """Print the result of one order: each as JSON, or for people only what was refused."""
    if as_json:
        typer.echo(json_line(result))
    elif result.error:
        typer.echo(f"{result.agent or result.post}: {result.error}", err=True)


async def results_of(
    connection: asyncpg.Connection, todo: Sequence[Order], who: str, batch: str
) -> AsyncGenerator[Result, None]:
    """Execute orders one after the other. Each keeps other writes waiting, so a pause as long follows it."""
    for order in todo:
        began = time.monotonic()
        result = await orders.attempt(connection, order, who, batch)
        spent = time.monotonic() - began
        yield result
        await asyncio.sleep(spent)

"""Many orders as one batch. A batch that is interrupted has done what the audit shows under its id.

The same command continues it, because an order that was carried out changes nothing when it is repeated.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

import asyncpg
import typer
from msgspec import Struct
from tortoise.expressions import Q

from services.board.database.models import Agent, Post
from services.board.errors import NotFound

from . import console, orders
from .listing import agent_line, post_line
from .orders import Order, Result
from .output import json_line, table

EXAMPLES: Final = 10
ORDERS_PER_REPORT: Final = 500
GO_ON: Final = "The same command goes on from there."


class Preview(Struct):
    """A preview: how many orders of an action a command has."""

    would: str
    count: int


async def carry_out(
    connection: asyncpg.Connection, todo: Sequence[Order], who: str, decided: bool, as_json: bool
) -> str:
    """Execute orders and return what was done, or return a preview if the operator has not decided yet.

    Raises what a single order raises; of several, one that is refused does not stop the rest.
    """
    if not todo:
        return "" if as_json else "Nothing matches."
    if not decided:
        return await preview(todo, as_json)
    batch = orders.new_batch()
    if len(todo) == 1:
        result = await orders.execute(connection, todo[0], who, batch)
        return json_line(result) if as_json else result.sentence
    return await run(connection, todo, who, batch, as_json)


async def preview(todo: Sequence[Order], as_json: bool) -> str:
    """Return how many orders there are, and ten examples."""
    counts = [Preview(action, count) for action, count in Counter(order.action for order in todo).items()]
    posts = await Post.filter(id__in=[order.post for order in todo if order.post][:EXAMPLES]).order_by("id")
    names = [order.agent for order in todo if order.agent][:EXAMPLES]
    agents = await found_agents(names)
    if unknown := {name.lower() for name in names} - {agent.name.lower() for agent in agents}:
        raise NotFound(f"There is no agent with the name {min(unknown)}; nothing was changed.")
    rows: list[list[Struct]] = [[*map(agent_line, agents)], [*map(post_line, posts)]]
    if as_json:
        return "\n".join(json_line(row) for row in [*counts, *rows[0], *rows[1]])
    total = " and ".join(f"{one.would} {one.count:,}" for one in counts)
    return "\n\n".join([f"Would {total}. --yes does it. Examples:", *(table(part) for part in rows if part)])


async def found_agents(names: Sequence[str]) -> list[Agent]:
    """Return the agents with these names, in any case."""
    # an empty Q would match all
    any_of = Q(*(Q(name__iexact=name) for name in names), join_type=Q.OR)
    return await Agent.filter(any_of).order_by("id") if names else []


async def run(connection: asyncpg.Connection, todo: Sequence[Order], who: str, batch: str, as_json: bool) -> str:
    """Execute a batch with its progress on standard error, and return what was done."""
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
    if as_json:
        return ""
    done = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    if set(counts) == {"refused"}:
        raise console.Refused(f"Nothing was changed: {done}.")
    return f"Batch {batch}: {done}." + (f" `agent-board undo {batch}` reverses it." if counts["changed"] else "")


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

"""Hiding posts and suspending agents (interface 7.6, 14.1), by the operator's command and never over HTTP.

The effect, the audit and most tallies commit together, in one statement. The tallies of the authors of a long thread
follow in further statements, each of bounded length.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import asyncpg

from services.board.database.connections import Database
from services.board.errors import BoardError, NotFound
from services.contract.bounds import Category
from services.contract.names import could_be_name

from .audit import OptionalReason, Reason, stated

# How many replies one statement counts: so long it keeps all other writes waiting.
REPLIES_PER_STEP = 100
SET_HIDDEN = "SELECT set_hidden($1, $2, $3, $4, $5, $6, $7)"
RECOUNT = "SELECT recount($1)"
RECOUNT_ANY = "SELECT recount($1, (SELECT thread_id FROM recounts ORDER BY random() LIMIT 1))"
UNCOUNTED = """
SELECT count(*) FROM recounts r JOIN posts p ON p.parent = r.thread_id AND p.id <= r.reached
WHERE r.thread_id = $1 AND r.shown
"""
SET_STANDING = "SELECT outcome, name, until FROM set_standing($1, $2, $3, $4, $5, $6, $7)"
SUSPENDABLE = """
SELECT name FROM agents WHERE name = ANY ($1) AND (suspended_at IS NULL OR outlasts($2, suspended_until))
"""
# How many agents one statement restores: so long it keeps all other writes waiting.
AGENTS_PER_STEP = 20
RESTORE_DUE = "SELECT restore_due($1)"


class Standing(NamedTuple):
    """An agent after an action: whether it changed, its name as registered, and the end of its suspension.

    `until` is in Unix seconds; None without an end.
    """

    changed: bool
    name: str
    until: float | None = None


class Erased(BoardError):
    """What was erased stays so: nothing shows the post or restores the agent again."""


async def nothing() -> None:
    """Report no step."""


async def hide(
    writes: Database, post_id: int, reason: str, who: str, batch: str | None = None, category: Category = "other"
) -> bool:
    """Hide a post everywhere except in its author's list of hidden posts; False if it is hidden already.

    `batch` is the id under which the audit keeps actions together. `category` is public, the reason is not.

    Raises NotFound, Invalid, SecretDetected.
    """
    return await set_hidden(writes, post_id, True, who, stated(Reason, reason=reason).reason, batch, category)


async def unhide(
    writes: Database, post_id: int, who: str, batch: str | None = None, pending: Callable[[], Awaitable[None]] = nothing
) -> bool:
    """Show a hidden post again, exactly as it was; False if it is not hidden. Raises NotFound.

    A thread is shown when all its replies are counted again, which takes one statement per REPLIES_PER_STEP of them;
    `pending` is called between them.
    """
    return await set_hidden(writes, post_id, False, who, "", batch, pending=pending)


async def count_uncounted(reads: Database, thread_id: int) -> int:
    """Return how many replies must be counted before the thread is shown; 0 if it does not wait for that."""
    return int(await reads.fetchval(UNCOUNTED, thread_id))


async def set_hidden(
    writes: Database,
    post_id: int,
    hidden: bool,
    who: str,
    reason: str,
    batch: str | None = None,
    category: Category = "other",
    pending: Callable[[], Awaitable[None]] = nothing,
) -> bool:
    values = (post_id, hidden, who, reason, REPLIES_PER_STEP, batch, category)
    outcome = await writes.fetchval(SET_HIDDEN, *values)
    if outcome == "not_found":
        raise NotFound("There is no post with this id.")
    if outcome == "erased":
        raise Erased()
    changed = bool(outcome != "unchanged")
    while outcome == "pending":
        await pending()
        outcome = await writes.fetchval(SET_HIDDEN, *values)
    return changed


async def recount(writes: Database, any_thread: bool = False) -> bool:
    """Take one step for the replies of long threads that were hidden or shown; return whether there were any.

    It is the oldest thread's or, with `any_thread`, that of one chosen at random.
    """
    return bool(await writes.fetchval(RECOUNT_ANY if any_thread else RECOUNT, REPLIES_PER_STEP))


async def suspend(
    writes: Database,
    name: str,
    reason: str,
    who: str,
    batch: str | None = None,
    category: Category = "other",
    seconds: float | None = None,
) -> Standing:
    """Stop an agent's token; its posts stay. The agent reads the reason.

    With `seconds`, the fan-out restores it that long from now. A suspension that would end sooner is extended, one that
    lasts longer stays as it is. Raises NotFound, Invalid, SecretDetected.
    """
    stated_reason = stated(OptionalReason, reason=reason).reason
    return await set_standing(writes, name, "suspend", who, stated_reason, batch, category, seconds)


async def suspendable(reads: Database, names: Sequence[str], seconds: float | None) -> set[str]:
    """Return those of the names, as registered, whose agents a suspension of this duration would change."""
    return {row["name"] for row in await reads.fetch(SUSPENDABLE, list(names), seconds)}


async def restore_due(writes: Database, agents: int = AGENTS_PER_STEP) -> int:
    """Restore the agents whose suspensions have ended, at most `agents` of them; return how many.

    A single one is chosen at random, so that one who cannot be restored does not keep the others waiting.
    """
    return int(await writes.fetchval(RESTORE_DUE, agents))


async def restore(writes: Database, name: str, who: str, batch: str | None = None) -> Standing:
    """End a suspension, so that the token works again. Returns the same as suspend. Raises NotFound."""
    return await set_standing(writes, name, "restore", who, batch=batch)


async def set_standing(
    writes: Database,
    name: str,
    action: str,
    who: str,
    reason: str = "",
    batch: str | None = None,
    category: Category = "other",
    seconds: float | None = None,
) -> Standing:
    """Perform one of the actions of set_standing.sql. Raises NotFound, Erased."""
    row = await act_on_agent(writes, SET_STANDING, name, action, who, reason, batch, category, seconds)
    if row["outcome"] == "erased":
        raise Erased()
    return Standing(row["outcome"] == "changed", row["name"], row["until"])


async def act_on_agent(writes: Database, statement: str, name: str, *values: object) -> asyncpg.Record:
    """Run a statement that acts on the agent with a name, its first parameter. Raises NotFound."""
    row = await writes.fetchrow(statement, name, *values) if could_be_name(name) else None
    if row is None or row["outcome"] == "not_found":
        raise NotFound("There is no agent with this name.")
    return row


def stamp(seconds: float) -> str:
    """Return a time in Unix seconds as operators read it."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S}Z"

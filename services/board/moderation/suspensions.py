"""Suspending agents (interface 14.1), by the operator's command and never over HTTP."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import asyncpg

from services.board.database.connections import Database
from services.board.errors import BoardError, NotFound
from services.contract.bounds import Category
from services.contract.names import could_be_name

from .audit import OptionalReason, stated

MODERATE = "SELECT outcome, name, until FROM moderate_agent($1, $2, $3, $4, $5, $6, $7)"
# An erased agent is also found by the name that it had.
FIND = """
SELECT given, coalesce(
    (SELECT name FROM agents WHERE name_key(name) = name_key(given)),
    (SELECT name FROM agents WHERE erased_digest = erased_digest(given))) AS found
FROM unnest($1::text[]) AS given
"""
# How many agents one statement restores: so long it keeps all other writes waiting.
AGENTS_PER_STEP = 20
RESTORE_DUE = "SELECT restore_due($1)"


class ModeratedAgent(NamedTuple):
    """An agent after an action: whether it changed, its name as registered, and the end of its suspension.

    `until` is in Unix seconds; None without an end.
    """

    changed: bool
    name: str
    until: float | None = None


class Erased(BoardError):
    """Erased posts and agents stay erased: nothing shows the post or restores the agent again."""


async def suspend(
    writes: Database,
    name: str,
    reason: str,
    who: str,
    batch: str | None = None,
    category: Category = "other",
    seconds: float | None = None,
) -> ModeratedAgent:
    """Stop an agent's token; its posts stay. The agent reads the reason.

    With `seconds`, the fan-out restores it that long from now. A suspension that would end sooner is extended, one that
    lasts longer stays as it is. Raises NotFound, Invalid, SecretDetected.
    """
    stated_reason = stated(OptionalReason, reason=reason).reason
    return await moderate_agent(writes, name, "suspend", who, stated_reason, batch, category, seconds)


async def find_agents(reads: Database, names: Sequence[str]) -> Mapping[str, str]:
    """Return the present names of those agents that exist, by the names that they have, or had before an erasure."""
    rows = await reads.fetch(FIND, [name for name in names if could_be_name(name)])
    return {row["given"]: row["found"] for row in rows if row["found"] is not None}


async def restore_due(writes: Database, agents: int = AGENTS_PER_STEP) -> int:
    """Restore the agents whose suspensions have ended, at most `agents` of them; return how many.

    A single one is chosen at random, so that one who cannot be restored does not keep the others waiting.
    """
    return int(await writes.fetchval(RESTORE_DUE, agents))


async def restore(writes: Database, name: str, who: str, batch: str | None = None) -> ModeratedAgent:
    """End a suspension, so that the token works again. Returns the same as suspend. Raises NotFound."""
    return await moderate_agent(writes, name, "restore", who, batch=batch)


async def moderate_agent(
    writes: Database,
    name: str,
    action: str,
    who: str,
    reason: str = "",
    batch: str | None = None,
    category: Category = "other",
    seconds: float | None = None,
) -> ModeratedAgent:
    """Perform one of the actions of moderate_agent.sql. Raises NotFound, Erased."""
    row = await act_on_agent(writes, MODERATE, name, action, who, reason, batch, category, seconds)
    if row["outcome"] == "erased":
        raise Erased()
    return ModeratedAgent(row["outcome"] == "changed", row["name"], row["until"])


async def act_on_agent(writes: Database, statement: str, name: str, *values: object) -> asyncpg.Record:
    """Run a statement that acts on the agent with a name, its first parameter. Raises NotFound."""
    row = await writes.fetchrow(statement, name, *values) if could_be_name(name) else None
    if row is None or row["outcome"] == "not_found":
        raise NotFound("There is no agent with this name.")
    return row

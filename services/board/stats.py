"""Statistics, read from tallies that are kept in the transaction of each change (decisions 1.16)."""

import asyncpg

from .contract.schemas import Stats
from .tokens import Database

# The counts of a Stats in its order.
TALLIES = "community_agents, contributors, operator_accounts, replies, threads"
METRIC_NOTE = (
    "community_agents: accounts neither marked as operators nor suspended. contributors: those of them with at least "
    "one visible thread or reply. operator_accounts: accounts marked as operators. threads and replies: visible ones, "
    "by all authors."
)


async def read_stats(reads: Database) -> Stats:
    """How many agents, threads and replies there are at this moment: one row, exact."""
    row = await reads.fetchrow(f"SELECT {TALLIES} FROM log_head")
    assert row is not None
    return stats_from(row)


def stats_from(row: asyncpg.Record) -> Stats:
    """Make a Stats of a row that begins with the tallies."""
    return Stats(*row[:5], METRIC_NOTE)  # type: ignore[call-arg] # 6 fields

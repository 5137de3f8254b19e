"""Statistics, read from tallies that every change updates in its own transaction (interface 12.2)."""

import asyncpg

from services.board.database.connections import Database
from services.contract.answers import Stats

# The columns in the order of the fields of Stats.
TALLIES = "community_agents, contributors, operator_accounts, replies, threads"
METRIC_NOTE = (
    "community_agents: accounts that are neither marked as operators nor suspended. contributors: community agents "
    "with at least one visible thread or reply. operator_accounts: accounts marked as operators. threads and replies: "
    "visible ones, by all authors."
)


async def read_stats(reads: Database) -> Stats:
    """Return the exact numbers of agents, threads and replies."""
    row = await reads.fetchrow(f"SELECT {TALLIES} FROM log_head")
    assert row is not None
    return stats_from(row)


def stats_from(row: asyncpg.Record) -> Stats:
    """Build the statistics from a row that begins with TALLIES."""
    return Stats(*row[:5], METRIC_NOTE)  # type: ignore[call-arg] # 6 fields

"""Statistics, read from tallies that every change updates in its own transaction (interface 12.2)."""

from services.board.database.connections import Database
from services.board.rows import Row, struct_from
from services.contract.answers.overview import Stats

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


def stats_from(row: Row) -> Stats:
    """Build the statistics from a row with TALLIES."""
    return struct_from(Stats, row, metric_note=METRIC_NOTE)

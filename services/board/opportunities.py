"""Opportunities: open threads without a reply by another agent (interface 9.8)."""

from collections.abc import Sequence

from services.board.database.connections import Database
from services.contract.answers import Opportunities, OpportunityFilter, Thread
from services.contract.bounds import OPPORTUNITIES_MAX
from services.contract.requests import OpportunitiesQuery

from .links import Links
from .threads import COLUMNS, thread_from

MISSION = "Give an open thread its first useful reply."

# Matches the index threads_open. The limit is part of the text: with a parameter, every call would be planned again.
NEWEST = f"""
SELECT {COLUMNS} FROM posts
WHERE parent IS NULL AND visible AND answers = 0 AND community <> 'announcements' AND author_id IS DISTINCT FROM $1
ORDER BY id DESC LIMIT """
WANTED = f"SELECT {COLUMNS} FROM search_requests($1, $2, $3) AS found JOIN posts ON id = found ORDER BY id DESC"


async def list_opportunities(reads: Database, query: OpportunitiesQuery, links: Links) -> Opportunities:
    """Return at most 50 of the newest open threads; with a capability, those that want it, in any case."""
    wanted = [query.capability] if query.capability else None
    items = await open_threads(reads, links, OPPORTUNITIES_MAX, wanted)
    return Opportunities(
        mission=MISSION,
        start=links.to("/api/start"),
        join=links.to("/join"),
        filter=OpportunityFilter(capability=query.capability) if query.capability else OpportunityFilter(),
        count=len(items),
        items=items,
    )


async def open_threads(
    reads: Database,
    links: Links,
    limit: int,
    capabilities: Sequence[str] | None = None,
    not_by: int | None = None,
) -> list[Thread]:
    """Return at most `limit` of the newest open threads: visible, without a visible reply by another agent.

    With `capabilities`, only threads that want any of them. `not_by` is the id of an agent whose threads are left out.
    """
    if capabilities is None:
        rows = await reads.fetch(NEWEST + str(limit), not_by)
    else:
        rows = await reads.fetch(WANTED, list(capabilities), not_by, limit)
    return [thread_from(row, links) for row in rows]

"""Opportunities: open threads that wait for a first reply by somebody else (decisions 1.9)."""

from collections.abc import Sequence

from .contract.schemas import OPPORTUNITIES_MAX, Opportunities, OpportunitiesQuery, OpportunityFilter, Thread
from .links import Links
from .threads import COLUMNS, thread_from
from .tokens import Database

MISSION = "Give an open thread its first useful reply."

# as the index threads_open has it; with the limit in its text, for the plan with a parameter would be made at each call
NEWEST = f"""
SELECT {COLUMNS} FROM posts
WHERE parent IS NULL AND visible AND answers = 0 AND community <> 'announcements' AND author_id IS DISTINCT FROM $1
ORDER BY id DESC LIMIT """
WANTED = f"SELECT {COLUMNS} FROM search_requests($1, $2, $3) AS found JOIN posts ON id = found ORDER BY id DESC"


async def list_opportunities(reads: Database, query: OpportunitiesQuery, links: Links) -> Opportunities:
    """The newest open threads, at most 50; with a capability those that ask for it, in whatever case."""
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
    """The newest open threads, at most `limit`: visible, without a visible reply by another than their author.

    With capabilities, those that ask for any of them; `not_by` is the id of an agent whose threads are left out.
    """
    if capabilities is None:
        rows = await reads.fetch(NEWEST + str(limit), not_by)
    else:
        rows = await reads.fetch(WANTED, list(capabilities), not_by, limit)
    return [thread_from(row, links) for row in rows]

"""Opportunities: open threads without a reply by another agent (interface 9.8)."""

from msgspec.structs import asdict

from services.board.database.connections import Database
from services.contract.answers import Opportunities, OpportunityFilter, Thread
from services.contract.bounds import OPPORTUNITIES_MAX
from services.contract.requests import OpportunitiesQuery

from .links import Links
from .page_bytes import bounded, cut
from .threads import COLUMNS, thread_from
from .tokens import Caller

MISSION = "Give an open thread its first useful reply."
NO_FILTER = OpportunitiesQuery()

# Matches the index threads_open.
OPEN = f"""
SELECT {COLUMNS} FROM posts
WHERE parent IS NULL AND visible AND answers = 0 AND community <> 'announcements' AND author_id IS DISTINCT FROM $1
"""
# The limit is part of the text: with a parameter, every call would be planned again.
NEWEST = f"{OPEN} AND id >= (SELECT first_since($2)) ORDER BY id DESC LIMIT "
FILTERED = bounded(
    f"""
SELECT {COLUMNS} FROM search_requests($1, $2, $3, $4, author_id($5), first_since($6)) AS found JOIN posts ON id = found
""",
    "id DESC",
)


async def list_opportunities(
    reads: Database, query: OpportunitiesQuery, caller: Caller | None, links: Links
) -> Opportunities:
    """Return at most 50 of the newest open threads that the filters allow, without those by the caller, if any."""
    not_by = caller.id if caller else None
    items = await open_threads(reads, links, OPPORTUNITIES_MAX, query, not_by)
    applied = {name: value for name, value in asdict(query).items() if value not in (None, "")}
    return Opportunities(
        mission=MISSION,
        start=links.to("/api/start"),
        join=links.to("/join"),
        filter=OpportunityFilter(**applied),
        count=len(items),
        items=items,
    )


async def open_threads(
    reads: Database, links: Links, limit: int, query: OpportunitiesQuery = NO_FILTER, not_by: int | None = None
) -> list[Thread]:
    """Return at most `limit` of the newest open threads: visible, without a visible reply by another agent.

    `not_by` is the id of an agent whose threads are left out.
    """
    if query.capability or query.community or query.author:
        wanted = [query.capability] if query.capability else None
        filters = (query.community, query.author or None, query.since)
        rows = await reads.fetch(FILTERED, wanted, not_by, limit, *filters)
    else:
        rows = await reads.fetch(bounded(NEWEST + str(limit), "id DESC"), not_by, query.since)
    return [thread_from(row, links) for row in cut(rows, limit)]

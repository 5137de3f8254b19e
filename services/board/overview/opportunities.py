"""Opportunities: open threads without a reply by another agent (interface 9.8)."""

from collections.abc import Sequence

import asyncpg

from services.board.access.tokens import Caller
from services.board.database.connections import Database
from services.board.links import Links
from services.board.page_bytes import bounded, cut
from services.board.posts.threads import COLUMNS, thread_from
from services.contract.answers.overview import Opportunities, OpportunityFilter
from services.contract.answers.posts import Thread
from services.contract.requests.queries import OpenThreadsQuery

MISSION = "Give an open thread its first useful reply."
NO_FILTER = OpenThreadsQuery()

# Matches the index threads_open.
OPEN = "parent IS NULL AND visible AND answers = 0 AND community <> 'announcements'"
# The limit is part of the text: with a parameter, every call would be planned again.
NEWEST = f"""
SELECT {COLUMNS} FROM posts WHERE {OPEN} AND author_id IS DISTINCT FROM $1 AND id >= (SELECT first_since($2))
ORDER BY id DESC LIMIT """
FILTERED = bounded(
    f"""
SELECT {COLUMNS} FROM search_requests($1, $2, $3, $4, author_id($5), first_since($6)) AS found JOIN posts ON id = found
""",
    "id DESC",
)


async def list_opportunities(
    reads: Database, query: OpenThreadsQuery, caller: Caller | None, links: Links
) -> Opportunities:
    """Return the newest open threads that the filters allow, at most `limit`, without those by the caller, if any."""
    rows = await open_rows(reads, query.limit + 1, query, caller.id if caller else None)
    items = [thread_from(row, links) for row in cut(rows, query.limit)]
    filters = {name: getattr(query, name) for name in OpportunityFilter.__struct_fields__}
    applied = {name: value for name, value in filters.items() if value not in (None, "")}
    return Opportunities(
        mission=MISSION,
        start=links.to("/api/start"),
        join=links.to("/join"),
        filter=OpportunityFilter(**applied),
        count=len(items),
        items=items,
        has_more=len(rows) > len(items),
    )


async def open_threads(reads: Database, links: Links, limit: int) -> list[Thread]:
    """Return at most `limit` of the newest open threads: visible, without a visible reply by another agent."""
    return [thread_from(row, links) for row in cut(await open_rows(reads, limit, NO_FILTER, None), limit)]


async def open_rows(
    reads: Database, limit: int, query: OpenThreadsQuery, not_by: int | None
) -> Sequence[asyncpg.Record]:
    """Return the rows of at most `limit` open threads that the filters allow, without those by the agent `not_by`."""
    if query.capability or query.community or query.author:
        wanted = [query.capability] if query.capability else None
        filters = (query.community, query.author or None, query.since)
        return await reads.fetch(FILTERED, wanted, not_by, limit, *filters)
    return await reads.fetch(bounded(NEWEST + str(limit), "id DESC"), not_by, query.since)

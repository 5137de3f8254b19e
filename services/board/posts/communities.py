"""Communities of threads (interface 9.6). Curated ones have a description; others appear with their first thread."""

from services.board.database.connections import Database
from services.board.errors import NotFound
from services.board.rows import struct_from
from services.contract.answers.posts import Communities, Community
from services.contract.bounds import COMMUNITIES_LISTED
from services.contract.requests.queries import CommunitiesQuery

ITEM = "slug, description, thread_count, activity, curated"
# $1 is one more than the limit, $2 the offset.
LIST = f"""
SELECT {ITEM} FROM (
    (SELECT {ITEM}, created FROM communities WHERE curated)
    UNION ALL
    (SELECT {ITEM}, created FROM communities WHERE NOT curated AND thread_count > 0
     ORDER BY created DESC, slug DESC LIMIT least({COMMUNITIES_LISTED}, $1::bigint + $2::bigint))
) listed
ORDER BY curated DESC, CASE WHEN curated THEN slug END, created DESC, slug DESC LIMIT $1 OFFSET $2
"""
FIND = f"SELECT {ITEM} FROM communities WHERE slug = $1 AND (curated OR thread_count > 0)"


async def list_communities(reads: Database, query: CommunitiesQuery) -> Communities:
    """Return a page of the communities: the curated ones by slug, then the newest others with a visible thread."""
    rows = await reads.fetch(LIST, query.limit + 1, query.offset)
    items = [struct_from(Community, row) for row in rows[: query.limit]]
    return Communities(items, len(items), len(rows) > query.limit, query.offset + len(items))


async def find_community(reads: Database, slug: str) -> Community:
    """Return a community that is curated or has a visible thread. Raises NotFound."""
    row = await reads.fetchrow(FIND, slug)
    if row is None:
        raise NotFound()
    return struct_from(Community, row)

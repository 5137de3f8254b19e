"""A search reads a bounded number of pages, however many posts match and in which order they were written."""

import asyncpg
import pytest

from tests.database.plans import pages_read

ENOUGH, VISITS, NARROW = 4, 100, 10
SIZES = [0, 1, VISITS, 4 * VISITS, 16 * VISITS, 64 * VISITS]
# In each of ten rounds, a visit of a match may read a page, and each of a few words some pages of the index.
PAGES = 10 * (VISITS + 50)
ADD = """
INSERT INTO thread_search (thread_id, document)
SELECT n, index_age(n) || $3::tsvector || CASE WHEN n % 1000 = 99 THEN $$'rare':9$$::tsvector ELSE '' END
FROM generate_series($1::bigint, $2) AS n
"""
COMMON, OTHER = "'ape':1 'bee':2", "'bee':1 'cow':2"
# each with its words without the most common ones
SEARCHES = [
    ("'ape'", None),
    ("'cow'", None),
    ("'ape' & 'absent'", "'absent'"),
    ("'ape' & 'absent'", None),
    ("'ape' & 'rare'", "'rare'"),
    ("'bee' & 'ape'", "'ape'"),
    ("'bee' & 'cow'", "'cow'"),
    ("'ape' <-> 'bee'", None),
    ("'bee' <-> 'ape'", None),
    ("!'ape'", None),
]
CALL = "search_documents($${0}$$, search_parts($${0}$$), {1}, {2}, NULL, 0, {3}, {4})"
# in all ids, and in the newest 2^14, which are more than there are
CASES = [(query, narrow, 28) for query, narrow in SEARCHES] + [(query, None, 14) for query, _ in SEARCHES]
EVERY = """
SELECT coalesce(array_agg(thread_id ORDER BY thread_id DESC) FILTER (WHERE document @@ query), '{}') AS ids, count(*)
FROM thread_search, CAST($1::text AS tsquery) AS query
WHERE (document @@ search_candidates(query)) IS NOT FALSE
"""


@pytest.fixture
async def small(db: asyncpg.Connection) -> asyncpg.Connection:
    """A database whose searches have small bounds."""
    definition = await db.fetchval("SELECT pg_get_functiondef('search_documents'::regproc)")
    for bound, becomes in (("visits_max CONSTANT int := 10000", VISITS), ("narrow_max CONSTANT int := 500", NARROW)):
        assert bound in definition
        definition = definition.replace(bound, f"{bound.partition(':=')[0]}:= {becomes}")
    await db.execute(definition)
    await db.execute("SET enable_seqscan = off")  # as in search_threads
    return db


@pytest.mark.parametrize("texts", [(COMMON, OTHER), (OTHER, COMMON)], ids=["common first", "common last"])
async def test_no_number_or_order_of_posts_makes_a_search_read_more(
    small: asyncpg.Connection, texts: tuple[str, str]
) -> None:
    for older in SIZES:
        await small.execute("TRUNCATE thread_search")
        await small.execute(ADD, 1, older, texts[0])
        written = 0
        for newer in SIZES:
            await small.execute(ADD, older + written + 1, older + newer, texts[1])
            written = newer
            await small.execute("SELECT sort_search()")
            for case in CASES:
                await check(small, *case, older + newer)


async def check(db: asyncpg.Connection, query: str, narrow: str | None, bits: int, newest: int) -> None:
    """A search finds the newest posts that match, or is incomplete, because more match than it visits."""
    call = CALL.format(query, newest, ENOUGH, "NULL" if narrow is None else f"$${narrow}$$", bits)
    assert await pages_read(db, f"SELECT {call}") <= PAGES, (query, newest)
    found = await db.fetchrow(f"SELECT * FROM {call}")
    every = await db.fetchrow(EVERY, query)
    if not found["incomplete"]:
        assert found["ids"] == every["ids"][:ENOUGH], (query, newest)
    else:
        assert set(found["ids"]) <= set(every["ids"]), (query, newest)
        assert every["count"] > VISITS, (query, newest)

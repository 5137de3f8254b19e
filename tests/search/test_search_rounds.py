"""A search reads a bounded number of pages, however many posts match and in which order they were written."""

import itertools

import asyncpg
import pytest

from tests.database.plans import pages_read

ENOUGH, VISITS = 4, 100
SIZES = [0, 1, VISITS, 4 * VISITS, 16 * VISITS, 64 * VISITS]
# In each of six rounds, a visit of a match may read a page, and each of a few words some pages of the index.
PAGES = 6 * (VISITS + 50)
ADD = """
INSERT INTO thread_search (thread_id, document)
SELECT n, index_age(n) || $3::tsvector || CASE WHEN n % 1000 = 99 THEN $$'rare':9$$::tsvector ELSE '' END
FROM generate_series($1::bigint, $2) AS n
"""
COMMON, OTHER = "'ape':1 'bee':2", "'bee':1 'cow':2"
SEARCHES = [
    "'ape'",
    "'cow'",
    "'ape' & 'absent'",
    "'ape' & 'rare'",
    "'bee' & 'ape'",
    "'bee' & 'cow'",
    "'ape' | 'cow'",
    "'ape' <-> 'bee'",
    "'bee' <-> 'ape'",
]
# with some of their words, of which the posts are read
NARROW = [("'ape' & 'absent'", "'ape'"), ("'ape' & 'rare'", "'rare'"), ("'bee' & 'cow'", "'cow'")]
CALL = "search_documents($${}$$, {}, {}, NULL, 0, {}, {}, $${}$$)"
# block by block, in all ids at once, and in the newest 2^13, which are more than there are
BITS = [(10, 25), (25, 25), (10, 13)]
EVERY = """
SELECT coalesce(array_agg(thread_id ORDER BY thread_id DESC) FILTER (WHERE document @@ query), '{}') AS ids, count(*)
FROM thread_search, CAST($1::text AS tsquery) AS query WHERE document @@ CAST($2::text AS tsquery)
"""


@pytest.fixture
async def small(db: asyncpg.Connection) -> asyncpg.Connection:
    """A database whose searches have small bounds."""
    definition = await db.fetchval("SELECT pg_get_functiondef('search_documents'::regproc)")
    for bound, becomes in (("visits_max CONSTANT int := 10000", VISITS), ("bytes int := 5000000", 1100 * VISITS)):
        assert f"{bound};" in definition
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
            await small.execute("SELECT gin_clean_pending_list('thread_search_document')")
            for (query, narrow), bits in itertools.product(NARROW + [(q, "") for q in SEARCHES], BITS):
                await check(small, query, narrow, *bits, older + newer)


async def check(db: asyncpg.Connection, query: str, narrow: str, first: int, last: int, newest: int) -> None:
    """A search finds the newest posts that match, or is incomplete, because more match than it visits."""
    narrow = narrow or await db.fetchval("SELECT search_candidates($1::text::tsquery)::text", query)
    call = CALL.format(query, newest, ENOUGH, first, last, narrow)
    assert await pages_read(db, f"SELECT {call}") <= PAGES, (query, newest)
    found = await db.fetchrow(f"SELECT * FROM {call}")
    every = await db.fetchrow(EVERY, query, narrow)
    if not found["incomplete"]:
        assert found["ids"] == every["ids"][:ENOUGH], (query, newest)
    else:
        assert set(found["ids"]) <= set(every["ids"]), (query, newest)
        assert every["count"] > VISITS, (query, newest)

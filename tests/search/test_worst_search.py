"""The costliest of many generated searches reads a bounded number of pages, whatever the texts and the search are."""

import random
from collections.abc import Callable

import asyncpg
import pytest

from tests.database.plans import pages_read
from tests.figures import FIGURES

SEED, TEXTS, SEARCHES = 1, 1000, 300
LIST_PAGES = 60  # of at most 512 kB
# The documents and the rows of 500 posts and their threads, about four pages for each, or of fewer, and 6,000 to count
# the words of a long search.
PAGES = 12_000
COMMON = ["how", "do", "you", "get", "the", "error", "of", "a", "server", "when", "it", "is", "not", "there", "and",
          "that"]  # fmt: skip
NAMES = ["DeadlockDetected", "statement_cache_size", "psycopg2.errors.X", "0x80070005", "/var/lib/x.log", "v1.2.3"]
# Every text is in 4 threads and 16 replies to other threads, and each word of ten texts is in 200 posts.
POSTS = """
INSERT INTO posts (id, author_id, author, community, title, body, created, activity, digest, request_id, parent)
SELECT t.n + r * $2, 1, 'a', 'general', CASE WHEN r < 4 THEN left(body, 80) END, body, now(), now(), '',
    gen_random_uuid(), CASE WHEN r >= 4 THEN 1 + (t.n * 7 + r) % (4 * $2) END
FROM unnest($1::text[]) WITH ORDINALITY AS t (body, n), generate_series(0, 19) AS r
"""
INDEX = """
WITH words AS MATERIALIZED (
    SELECT body, setweight(index_text(body), 'C') AS words FROM (SELECT DISTINCT body FROM posts) AS d
)
INSERT INTO thread_search (thread_id, document, parent)
SELECT id, index_age(id) || index_marks(community, author_id) || words, parent FROM posts JOIN words USING (body);
UPDATE search_cursor SET last_id = (SELECT max(id) FROM posts);
UPDATE log_head SET (last_id, threads, replies) = (
    SELECT max(id), count(*) FILTER (WHERE parent IS NULL), count(parent) FROM posts);
VACUUM ANALYZE posts, thread_search;
CREATE EXTENSION pgstattuple;
"""
# until the list of the index that every look-up reads is almost full
AGAIN = """
WITH again AS (
    DELETE FROM thread_search WHERE thread_id IN (SELECT max(thread_id) - $1::int FROM thread_search) RETURNING *
)
INSERT INTO thread_search SELECT * FROM again
"""
LIST = "SELECT pending_pages FROM pgstatginindex('thread_search_document')"


def word(chance: random.Random) -> str:
    """Return a word: one of the common ones, a name, or the n-th of 2,000, which occurs 1/n times as often."""
    return chance.choices(
        (chance.choice(COMMON), chance.choice(NAMES), f"w{int(2000 ** chance.random()):x}e"), (6, 1, 5)
    )[0]


def text(chance: random.Random) -> str:
    return " ".join(word(chance) for _ in range(chance.choice([5, 30, 120])))


def search(chance: random.Random, texts: list[str]) -> str:
    """Return a search: common words only, very many words, names, operators, or the beginning of a text."""
    body = chance.choice(texts)
    words = [word(chance) for _ in range(chance.choice([1, 2, 12, 40]))]
    joined = chance.choice([" OR ", " -", '" "', '" OR "'])
    return chance.choice(
        [
            " ".join(chance.choices(COMMON, k=chance.choice([1, 3, 12]))),
            " ".join(words),
            " ".join(chance.choices(NAMES, k=3)),
            f'"{joined.join(words[:12])}"',
            f'"{" ".join(body.split()[:3])}" {words[0]}',
            body[: chance.choice([5, 60, 1000])],
        ]
    )


@pytest.mark.slow  # hundreds of searches, of some ten milliseconds each
async def test_no_generated_search_reads_more_pages_than_the_bound(
    database: str, record_property: Callable[[str, object], None]
) -> None:
    db = await asyncpg.connect(database)
    chance = random.Random(SEED)
    texts = [text(chance) for _ in range(TEXTS)]
    await db.execute(POSTS.replace("$2", str(TEXTS)), texts)
    for statement in INDEX.split(";\n"):
        if statement.strip():
            await db.execute(statement)
    pages, number = 0, 0
    while pages < LIST_PAGES:
        await db.execute(AGAIN, number)
        pages, number = await db.fetchval(LIST), number + 1
    costs = []
    for _ in range(SEARCHES):
        q = search(chance, texts)[:1000]
        literal = await db.fetchval("SELECT quote_literal($1::text)", q)
        costs.append((await pages_read(db, f"SELECT FROM search_threads({literal}, 101, NULL, NULL, 0)"), q))
    await db.close()
    pages, q = max(costs)
    record_property(FIGURES, f"the costliest of {SEARCHES} searches: {pages} pages, for {q[:100]}")
    assert pages <= PAGES

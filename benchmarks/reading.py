"""Reading threads from PostgreSQL: pages relative to `select 1`, and pages far from the first."""

import itertools
import time
from collections.abc import Awaitable, Callable
from functools import cache, partial
from statistics import median
from typing import Any

import asyncpg

from benchmarks.client import get, rate_of
from benchmarks.report import Report
from benchmarks.stage import BODY, TURNS, api, fresh_database, make_agents, run
from benchmarks.targets import FIRST_PAGE_TO_SELECT_1, OFFSETS_TO_FIRST_PAGE
from services.board.database.connections import read_pool
from services.board.database.pool import Pool
from services.board.links import Links
from services.board.posts.threads import list_threads
from services.contract.requests.queries import ThreadsQuery
from services.local.postgresql import PostgreSQL

POSTS = 1_000_000
EACH = 5  # posts of a thread, itself included
AGENTS = 20_000
COMMUNITIES = 20
WARM_UP = 10
REPEATS = 50
LINKS = Links("http://127.0.0.1:8000")

# Words are distributed as in real posts: few are in every text, some in many, most in a few (about 60 posts have
# RARE_WORD).
COMMON_WORD, RARE_WORD = "length", "word50000"
WORD = "'word' || (power(random(), 3) * 100000)::int"
# None of them is in fewer than 1,000 posts: threads with most of them are looked for.
QUESTION = "how would they go word1 word2 word3 word5 word8 word13 about length?"
COMMON_CAPABILITY, RARE_CAPABILITY = "sql", "capability-1900"

# Every {each}th post is a thread; every fifth thread is open, and every third asks for a capability. Activity is spread
# unevenly over authors, communities and capabilities, as in real use.
FILL = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, wanted_capabilities, created, activity,
    reply_count, answers, hot, digest, request_id)
SELECT id, parent, author_id, 'agent-' || author_id, 'community-' || community % {communities},
    CASE WHEN parent IS NULL THEN 'How would you do it, number ' || id || '?' END,
    right('{body}' || (SELECT string_agg({word}, ' ') FROM generate_series(1, 12) WHERE id > 0), {length}),
    CASE WHEN parent IS NULL AND id % 3 = 0 THEN ARRAY['capability-' || (power(random(), 3) * 2000)::int, tag]
         ELSE '{{}}' END,
    created, created + CASE WHEN parent IS NULL THEN random() * interval '1 day' ELSE interval '0' END,
    CASE WHEN parent IS NULL THEN {each} - 1 ELSE 0 END,
    CASE WHEN parent IS NULL AND id % ({each} * 5) > 1 THEN {each} - 1 ELSE 0 END,
    CASE WHEN parent IS NULL THEN hot((random() * 20)::int, created) ELSE 0 END, sha256(id::text::bytea),
    gen_random_uuid()
FROM (
    SELECT id, CASE WHEN id % {each} <> 1 THEN id - (id - 1) % {each} END AS parent,
        -- all replies in an open thread are by its author
        CASE WHEN (id - 1) % ({each} * 100) < {each} THEN 1
             WHEN (id - 1) % ({each} * 5) < {each} THEN 1 + (id - (id - 1) % {each}) % {agents}
             ELSE 1 + (power(random(), 2) * ({agents} - 1))::int END AS author_id,
        (power(random(), 2) * {communities})::int AS community,
        CASE WHEN random() < 0.8 THEN 'SQL' ELSE 'Python' END AS tag,
        now() - ({posts} - id) * interval '1 second' AS created
    FROM generate_series(1, {posts}) AS id
) made
"""
COMMUNITY_ROWS = """
INSERT INTO communities (slug, thread_count, activity)
SELECT community, count(*), max(activity) FROM posts WHERE parent IS NULL GROUP BY community
"""
INDEX = """
INSERT INTO thread_search (thread_id, document, parent)
SELECT id, index_document(id, title, wanted_capabilities, body) || index_marks(community, author_id), parent FROM posts
ORDER BY id;
SELECT index_requests(ARRAY(SELECT id FROM posts WHERE parent IS NULL));
UPDATE search_cursor SET last_id = {posts}, worded_id = {posts}, merged_id = {posts};
SELECT index_agent(id) FROM agents;
"""


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of reading to the report."""
    url = filled(server)
    for number in range(rounds):
        print(f"  reading, round {number + 1} of {rounds}", flush=True)
        run(measure_pages, report, url)
        measure_offsets(report, url, seconds)


@cache
def filled(server: PostgreSQL, posts: int = POSTS, each: int = EACH) -> str:
    """Return the address of a database with posts, `each` in a thread. Parts share it: they add next to nothing."""
    print(f"  filling {posts} posts", flush=True)
    return run(fill, server, posts, each)


async def fill(server: PostgreSQL, posts: int = POSTS, each: int = EACH) -> str:
    """Create that database, with threads of `each` posts."""
    url = await fresh_database(server, f"reading_{each}")
    await make_agents(url, AGENTS)
    await fill_posts(url, posts, AGENTS, COMMUNITIES, each=each)
    return url


async def fill_posts(url: str, posts: int, agents: int, communities: int, word: str = WORD, each: int = EACH) -> None:
    """Insert posts by the first agents, with words from an SQL expression, `each` in a thread.

    Indexes are built after the rows are inserted, which is faster.
    """
    connection = await asyncpg.connect(url)
    indexes = await connection.fetch(
        "SELECT indexname, indexdef FROM pg_indexes "
        "WHERE tablename = 'posts' AND indexname <> 'posts_pkey' OR indexname = 'thread_search_document'"
    )
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['indexname']}")
    await connection.execute(
        FILL.format(
            posts=posts, agents=agents, communities=communities, word=word, body=BODY, length=len(BODY), each=each
        )
    )
    await connection.execute(INDEX.format(posts=posts, agents=agents))
    await connection.execute(COMMUNITY_ROWS)
    for index in indexes:
        await connection.execute(index["indexdef"])
    await connection.execute(
        f"UPDATE log_head SET last_id = {posts}, last_created = now(), threads = {posts // each}, "
        f"replies = {posts - posts // each}"
    )
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


async def measure_pages(report: Report, url: str) -> None:
    """Measure pages as a handler reads them, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        for name, query in first_pages().items():
            page = partial(list_threads, pool, query, LINKS)
            report.add(f"first page: {name} / select 1", await times_select_1(pool, page), FIRST_PAGE_TO_SELECT_1)


def first_pages() -> dict[str, ThreadsQuery]:
    """Return every combination of sort and filter."""
    filters: dict[str, dict[str, Any]] = {
        "all": {},
        "community": {"community": "community-3"},
        "author": {"author": "agent-1"},
        "author in community": {"author": "agent-1", "community": "community-3"},
    }
    pairs = itertools.product(filters.items(), ("new", "active", "popular"))
    return {f"{name}, {sort}": ThreadsQuery(sort=sort, **chosen) for (name, chosen), sort in pairs}


async def times_select_1(pool: Pool, call: Callable[[], Awaitable[Any]]) -> float:
    """Return how many times as long as `select 1` a call takes, from medians over alternating turns after warm-ups."""
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(TURNS):
        ours += await times_of(call)
        theirs += await times_of(partial(pool.fetchval, "SELECT 1"))
    return median(ours) / median(theirs)


async def times_of(call: Callable[[], Awaitable[Any]]) -> list[float]:
    """Return the durations of repeated calls, in seconds."""
    times = []
    for _ in range(WARM_UP + REPEATS):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return times[WARM_UP:]


def measure_offsets(report: Report, url: str, seconds: float) -> None:
    """Measure deep pages, one call at a time."""
    with api(url) as (address, _):
        first = page_rate(address, "/api/threads", 1, seconds)
        for offset, target in OFFSETS_TO_FIRST_PAGE.items():
            deep = page_rate(address, f"/api/threads?offset={offset}", 1, seconds)
            report.add(f"HTTP: time at offset {offset} / first page, 1", first / deep, target)


def page_rate(address: str, path: str, connections: int, seconds: float) -> float:
    """Return pages per second."""
    return run(rate_of, address, itertools.repeat(get(path)), connections, seconds, [200])

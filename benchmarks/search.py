"""Searches among a million posts, relative to `select 1`, and the cost of a post in PostgreSQL until they find it.

Posts arrive as on a busy board, some 500 a second: each turn of the fan-out indexes the next 25.
"""

import random
import time
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from statistics import median
from typing import Any

import asyncpg
import psutil

from benchmarks.population import COMMON_WORD, RARE_WORD, fill
from benchmarks.report import Report
from benchmarks.stage import fresh_database, make_agents, run
from benchmarks.targets import INDEXING_KB, INDEXING_US, QUESTION_TO_SELECT_1, SEARCH_TO_SELECT_1
from services.board.access.tokens import hash_token
from services.board.database.connections import writing_connection
from services.board.database.pool import Pool, read_pool
from services.board.links import Links
from services.board.posts.publications import Publication, publish_batch
from services.board.search.search import search_board
from services.contract.requests.queries import SearchQuery
from services.fanout.search_index import SearchIndex
from services.fanout.worker import SESSION, Work
from services.local.postgresql import PostgreSQL
from services.process.metrics import Registry

TURNS = 4  # of each side, because the speed of a shared machine varies
WARM_UP = 10
REPEATS = 50
LINKS = Links("http://127.0.0.1:8000")
# None of them is in fewer than 1,000 posts: threads with most of them are looked for.
QUESTION = "how would they go word1 word2 word3 word5 word8 word13 about length?"
SEARCHES: dict[str, tuple[str, float]] = {
    "a common word": (COMMON_WORD, SEARCH_TO_SELECT_1),
    "a rare word": (RARE_WORD, SEARCH_TO_SELECT_1),
    "a word in no post": ("nobodywrotethis", SEARCH_TO_SELECT_1),
    "a common and a rare word": (f"{COMMON_WORD} {RARE_WORD}", SEARCH_TO_SELECT_1),
    "a question of twelve words": (QUESTION, QUESTION_TO_SELECT_1),
}
POSTS, BATCH = 10_000, 25  # of each kind
KINDS = {"thread": (1000, None), "reply": (500, 1)}
"""The bytes of a post, and the thread of a reply."""
TEXT_BYTES, VOCABULARY = 1000, 50_000
POSITION = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"


def measure(server: PostgreSQL, report: Report, rounds: int, _: float) -> None:
    """Add the rows of search to the report; the number of posts is fixed, and the duration does not matter."""
    url = run(fill, server)
    for number in range(rounds):
        print(f"  search, round {number + 1} of {rounds}", flush=True)
        run(measure_searches, report, url)
        indexed = run(fresh_database, server, "indexing")
        tokens = run(make_agents, indexed, POSTS)
        for kind in KINDS:
            run(measure_index, report, indexed, kind, [hash_token(token) for token in tokens])


async def measure_searches(report: Report, url: str) -> None:
    """Measure searches as a handler makes them, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        for name, (q, target) in SEARCHES.items():
            search = partial(search_board, pool, SearchQuery(q), LINKS)
            report.add(f"search for {name} / select 1", await times_select_1(pool, search), target)


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


async def measure_index(report: Report, url: str, kind: str, hashes: list[bytes]) -> None:
    """Publish posts, and measure what the index costs for each of them."""
    author, backend = await writing_connection(url), await writing_connection(url, **SESSION)
    await author.execute("VACUUM ANALYZE open_requests")  # as on a board whose requests have all been answered
    index, chance, log = SearchIndex(Registry()), random.Random(1), 0.0
    server = psutil.Process(await backend.fetchval("SELECT pg_backend_pid()"))
    began = sum(server.cpu_times()[:2])
    length, parent = KINDS[kind]
    for first in range(0, POSTS, BATCH):
        batch = [publication(each, text(chance, length), parent) for each in hashes[first : first + BATCH]]
        await publish_batch(author, batch, communities_open=True)
        log += await bytes_of_turn(index, backend)
    cost = 1e6 * (sum(server.cpu_times()[:2]) - began) / POSTS
    report.add(f"us of PostgreSQL's CPU to index a {kind} of {length} B", cost, INDEXING_US[kind])
    report.add(f"kB of log to index a {kind} of {length} B", log / 1000 / POSTS, INDEXING_KB[kind])
    for connection in (author, backend):
        await connection.close()


async def bytes_of_turn(index: SearchIndex, backend: asyncpg.Connection) -> float:
    """Let the index take in what there is; return how many bytes of log it wrote."""
    before = await backend.fetchval(POSITION)
    while await index.step(backend) is Work.MORE:
        pass
    return float(await backend.fetchval(POSITION) - before)


def publication(token_hash: bytes, body: str, parent: int | None = None) -> Publication:
    title, community = (None, None) if parent else ("How would you do it?", "general")
    return Publication(uuid.uuid4(), token_hash, None, parent, None, title, body, community, "[]", None)


def text(chance: random.Random, length: int = TEXT_BYTES) -> str:
    """Return a text whose words are as frequent as in real ones: the n-th word of all occurs 1/n times as often."""
    words = (f"w{int(VOCABULARY ** chance.random()):x}e" for _ in range(length // 4))
    return " ".join(words)[:length]

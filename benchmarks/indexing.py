"""The fan-out's cost in PostgreSQL for each thread of 1 kB and each reply of 500 B: CPU time and log, by consumer.

Posts arrive as on a busy board, some 500 a second: each turn of a consumer finds the next 25.
"""

import random
import uuid
from functools import partial
from statistics import median

import asyncpg
import psutil

from benchmarks.reading import LINKS, times_select_1
from benchmarks.report import Report
from benchmarks.stage import fresh_database, make_agents, run
from benchmarks.targets import INDEXING_LOG_KB, INDEXING_US, SEARCH_TO_SELECT_1
from benchmarks.texts import text
from benchmarks.writing import cpu_seconds
from services.board.access.tokens import hash_token
from services.board.database.connections import read_pool, writing_connection
from services.board.posts.publications import Publication, publish_batch
from services.board.search.search import search_board
from services.contract.requests.queries import SearchQuery
from services.fanout.inboxes import Inboxes
from services.fanout.search_index import SearchIndex
from services.fanout.worker import SESSION, Consumer, Work
from services.local.postgresql import PostgreSQL
from services.process.metrics import Registry

POSTS, BATCH = 10_000, 25  # of each kind
SEARCHED_EVERY = 1_000  # posts
KINDS = {"thread": (1000, None), "reply": (500, 1)}
"""The bytes of a post, and the thread of a reply."""
RARE = SearchQuery("w1 nobodywrotethis")
POSITION = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of indexing to the report; the number of posts is fixed, and the duration does not matter."""
    for number in range(rounds):
        print(f"  indexing, round {number + 1} of {rounds}", flush=True)
        url = run(fresh_database, server, "indexing")
        tokens = run(make_agents, url, POSTS).tokens
        for kind in KINDS:
            run(measure_consumers, report, url, kind, [hash_token(token) for token in tokens])


async def measure_consumers(report: Report, url: str, kind: str, hashes: list[bytes]) -> None:
    author = await writing_connection(url)
    await author.execute("VACUUM ANALYZE open_requests")  # as on a board whose requests have all been answered
    registry, chance = Registry(), random.Random(1)
    index = SearchIndex(registry)
    consumers: dict[str, Consumer] = {"search index": index, "inboxes": Inboxes(registry)}
    backends = {name: await writing_connection(url, **SESSION) for name in consumers}
    servers = {name: [await process_of(backend)] for name, backend in backends.items()}
    log = dict.fromkeys(consumers, 0.0)
    began = {name: cpu_seconds(server) for name, server in servers.items()}
    searches = []
    length, parent = KINDS[kind]
    async with await read_pool(url, 1) as pool:
        for first in range(0, POSTS, BATCH):
            batch = [publication(each, text(chance, length), parent) for each in hashes[first : first + BATCH]]
            await publish_batch(author, batch, communities_open=True)
            for name, consumer in consumers.items():
                log[name] += await bytes_of_turn(consumer, backends[name])
            if first % SEARCHED_EVERY == 0:
                searches.append(await times_select_1(pool, partial(search_board, pool, RARE, LINKS)))
    for name, server in servers.items():
        cost = 1e6 * (cpu_seconds(server) - began[name]) / POSTS
        report.add(f"{name}: us of PostgreSQL's CPU for a {kind} of {length} B", cost, INDEXING_US[name][kind])
        kilobytes = log[name] / 1000 / POSTS
        report.add(f"{name}: kB of log for a {kind} of {length} B", kilobytes, INDEXING_LOG_KB.get((name, kind)))
    report.add(f"search for a rare word while posts arrive ({kind}) / select 1", median(searches), SEARCH_TO_SELECT_1)
    for connection in (author, *backends.values()):
        await connection.close()


async def process_of(connection: asyncpg.Connection) -> psutil.Process:
    """Return the process of PostgreSQL that serves a connection."""
    return psutil.Process(await connection.fetchval("SELECT pg_backend_pid()"))


async def bytes_of_turn(consumer: Consumer, backend: asyncpg.Connection) -> float:
    """Let a consumer work until it rests; return how many bytes of log it wrote."""
    before = await backend.fetchval(POSITION)
    while await consumer.step(backend) is Work.MORE:
        pass
    return float(await backend.fetchval(POSITION) - before)


def publication(token_hash: bytes, body: str, parent: int | None = None) -> Publication:
    title, community = (None, None) if parent else ("How would you do it?", "general")
    return Publication(uuid.uuid4(), token_hash, None, parent, None, title, body, community, "[]", None)

"""Inboxes of ten million events: the time from a post to its event at a steady rate, and pages of an inbox."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from statistics import quantiles

import asyncpg

from benchmarks import reading
from benchmarks.reading import times_select_1
from benchmarks.report import Report
from benchmarks.stage import fanout, run
from benchmarks.targets import INBOX_TO_SELECT_1, SECONDS_TO_INBOX
from services.board.access.tokens import Caller
from services.board.database.connections import read_pool, writing_connection
from services.board.inbox import deliveries
from services.board.inbox.inbox import read_inboxes
from services.contract.requests.queries import InboxQuery
from services.local.postgresql import PostgreSQL

EVENTS_PER_POST = 10
FILL_POSTS = 50_000
STEADY_POSTS_PER_SECOND = 50
LOOK_SECONDS = 0.002

# As if delivered normally: posts in the order of the log, with partitions created for them along the way.
FILL = f"""
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
SELECT DISTINCT 1 + (hashint8(id * 1000003 + k) & 2147483647) % {reading.AGENTS}, id, 4, ARRAY[1::bigint]
FROM generate_series($1::bigint, $2) id, generate_series(1, {EVENTS_PER_POST}) k
"""
POST = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, created, activity, digest, request_id)
SELECT last_id + 1, NULL, 0, 'agent', 'steady', 'News', 'A body.', now(), now(), '', gen_random_uuid() FROM log_head
"""


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of the fan-out to the report."""
    print("  fan-out: filling ten million events", flush=True)
    url = run(fill, server)
    for number in range(rounds):
        print(f"  fan-out, round {number + 1} of {rounds}", flush=True)
        with fanout(url):
            run(measure_delay, report, url, max(seconds, 5.0))
        run(measure_reading, report, url)


async def fill(server: PostgreSQL) -> str:
    """Create a board with a million posts and ten million events."""
    url = await reading.fill(server)
    async with connected(url) as db:
        for first in range(1, reading.POSTS + 1, FILL_POSTS):
            await db.execute("UPDATE log_head SET last_id = $1", first - 1)
            await deliveries.make_partitions(db)
            await db.execute(FILL, first, first + FILL_POSTS - 1)
        await stand_at(db, reading.POSTS)
        await db.execute("VACUUM ANALYZE")
    return url


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await writing_connection(url, statement_timeout="0")
    yield connection
    await connection.close()


async def stand_at(db: asyncpg.Connection, number: int) -> None:
    """Move the head and all cursors to a post, with partitions for the posts to come."""
    await db.execute("UPDATE log_head SET last_id = $1", number)
    await db.execute("UPDATE fanout_cursors SET last_id = $1, agent_id = 0", number)
    await deliveries.make_partitions(db)


async def measure_delay(report: Report, url: str, seconds: float) -> None:
    """Measure the time from a post's commit to its event in an inbox, at a steady rate."""
    committed: list[float] = []
    async with connected(url) as db, connected(url) as reader:
        follower, subscription = 1, time.time_ns()
        head = await db.fetchval("SELECT last_id FROM log_head")
        await db.execute(
            "INSERT INTO subscription_spans (subscription_id, from_id, topic, agent_id, partition)"
            " VALUES ($1, $2, 'community:steady', $3, inbox_partition($3))",
            subscription, head, follower,
        )  # fmt: skip
        watching = asyncio.create_task(watch(reader, follower, head, int(seconds * STEADY_POSTS_PER_SECOND)))
        begin = time.perf_counter()
        for n in range(int(seconds * STEADY_POSTS_PER_SECOND)):
            await asyncio.sleep(max(0.0, begin + n / STEADY_POSTS_PER_SECOND - time.perf_counter()))
            async with db.transaction():
                await db.execute(POST)
                await db.execute("UPDATE log_head SET last_id = last_id + 1")
            committed.append(time.perf_counter())
        arrived = await watching
    delays = [there - then for there, then in zip(arrived, committed, strict=True)]
    parts = quantiles(delays, n=100)
    report.add(f"seconds from commit to inbox, {STEADY_POSTS_PER_SECOND} posts/s, p50", parts[49])
    report.add(f"seconds from commit to inbox, {STEADY_POSTS_PER_SECOND} posts/s, p99", parts[98], SECONDS_TO_INBOX)


async def watch(reader: asyncpg.Connection, follower: int, head: int, count: int) -> list[float]:
    """Return when each of this many events was first seen."""
    seen: list[float] = []
    while len(seen) < count:
        there = await reader.fetchval(
            "SELECT count(*) FROM inbox WHERE agent_id = $1 AND event_id > $2", follower, head
        )  # fmt: skip
        seen += [time.perf_counter()] * (there - len(seen))
        await asyncio.sleep(LOOK_SECONDS)
    return seen


async def measure_reading(report: Report, url: str) -> None:
    """Measure inbox pages as the handler reads them, relative to `select 1` through the same pool."""
    async with await read_pool(url, 1) as pool:
        head = await pool.fetchval("SELECT last_id FROM log_head")
        near = await pool.fetchval(
            "SELECT min(event_id) - 1 FROM (SELECT event_id FROM inbox WHERE agent_id = 7 AND event_id < $1"
            " ORDER BY event_id DESC LIMIT 3) newest", head,
        )  # fmt: skip

        issued = await pool.fetchval("SELECT token_created FROM agents WHERE id = 7")
        caller = Caller(7, "", b"", issued=issued)
        for name, after in (("the first page", 0), ("near the head", near)):
            page = partial(read_inboxes, pool, [(caller, InboxQuery(after=after))])
            took = await times_select_1(pool, page)
            report.add(f"inbox of ten million events: {name} / select 1", took, INBOX_TO_SELECT_1[name])

"""The fan-out: deliveries relative to a plain insert of the same rows, their log volume and delay; reading an inbox.

The inbox already contains ten million events.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from statistics import quantiles
from typing import NamedTuple

import asyncpg

from benchmarks import reading
from benchmarks.indexing import process_of
from benchmarks.reading import times_select_1
from benchmarks.report import Report
from benchmarks.stage import fanout, make_agents, run
from benchmarks.writing import cpu_seconds
from deploy.local.postgresql import PostgreSQL
from services.board import deliveries
from services.board.database.connections import read_pool, writing_connection
from services.board.inbox import read_inboxes
from services.contract.requests import InboxQuery
from services.fanout.inboxes import Inboxes
from services.fanout.worker import RESTS, Work
from services.process.metrics import Registry

EVENTS_PER_POST = 10
FOLLOWERS = 100_000
THREADS = 1_000
FOLLOWERS_OF_A_THREAD = 100
FILL_POSTS = 50_000
STEADY_POSTS_PER_SECOND = 50
LOOK_SECONDS = 0.002

# As if delivered normally: posts in the order of the log, with partitions created for them along the way.
FILL = f"""
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
SELECT DISTINCT 1 + (hashint8(id * 1000003 + k) & 2147483647) % {reading.AGENTS}, id, 4, ARRAY[1::bigint]
FROM generate_series($1::bigint, $2) id, generate_series(1, {EVENTS_PER_POST}) k
"""
FOLLOW = f"""
INSERT INTO subscription_spans (subscription_id, from_id, topic, agent_id, partition)
SELECT n, 0, 'community:big', n, inbox_partition(n) FROM generate_series(1, {FOLLOWERS}) n
UNION ALL
SELECT {FOLLOWERS} + row_number() OVER (), 0, 'thread:' || thread, agent, inbox_partition(agent) FROM (
    SELECT DISTINCT 1 + 5 * t AS thread, 1 + (hashint8(t * 1000003 + k) & 2147483647) % {FOLLOWERS} AS agent
    FROM generate_series(1, {THREADS}) t, generate_series(1, {FOLLOWERS_OF_A_THREAD}) k
) made
"""
POST = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, created, activity, digest, request_id)
SELECT last_id + n, CASE WHEN $1 = 'thread' THEN 1 + 5 * n END, 0, 'agent', $1,
    CASE WHEN $1 <> 'thread' THEN 'News' END, 'A body.', now(), now(), '', gen_random_uuid()
FROM log_head, generate_series(1, $2::int) n
"""
SAME_ROWS = """
CREATE TEMP TABLE same_rows AS
SELECT agent_id, event_id + $1 AS event_id, acked_at, kind, subscription_ids FROM inbox WHERE event_id > $2
ORDER BY event_id, agent_id
"""
PLAIN = "INSERT INTO inbox (agent_id, event_id, acked_at, kind, subscription_ids) SELECT * FROM same_rows"
POSITION = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
EVENTS = 100_000  # of each kind
KINDS = {"one post to 100,000": ("big", 1, 0.75), "1,000 posts to 100 each": ("thread", THREADS, 2.0)}


class Delivery(NamedTuple):
    """How many seconds it took, thousands of events per second of PostgreSQL's CPU, and bytes of WAL per event."""

    seconds: float
    rate: float
    log: float


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of the fan-out to the report."""
    print("  fan-out: filling ten million events", flush=True)
    url = run(fill, server)
    for number in range(rounds):
        print(f"  fan-out, round {number + 1} of {rounds}", flush=True)
        for name, (topic, posts, target) in KINDS.items():
            run(measure_rate, report, url, name, topic, posts, target)
        run(measure_log, report, url)
        with fanout(url):
            run(measure_delay, report, url, max(seconds, 5.0))
        run(measure_reading, report, url)


async def fill(server: PostgreSQL) -> str:
    """Create a board with a million posts, ten million events, and the followers needed for the measurements."""
    url = await reading.fill(server)
    await make_agents(url, FOLLOWERS - reading.AGENTS)
    async with connected(url) as db:
        for first in range(1, reading.POSTS + 1, FILL_POSTS):
            await db.execute("UPDATE log_head SET last_id = $1", first - 1)
            await deliveries.make_partitions(db)
            await db.execute(FILL, first, first + FILL_POSTS - 1)
        await db.execute(FOLLOW)
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


async def publish(db: asyncpg.Connection, topic: str, posts: int) -> int:
    """Publish this many posts, and return the id before the first."""
    await db.execute(POST, topic, posts)
    return int(await db.fetchval("UPDATE log_head SET last_id = last_id + $1 RETURNING last_id - $1", posts))


async def measure_rate(report: Report, url: str, name: str, topic: str, posts: int, target: float) -> None:
    async with connected(url) as db:
        plain = await plain_seconds(db, topic, posts)
        alone, together = [await take_delivery(url, n, lambda: publish(db, topic, posts)) for n in (1, 2)]
    report.add(f"{name}, 1 worker / plain insert of the same rows", plain / alone.seconds)
    report.add(f"{name}, 2 workers / plain insert of the same rows", plain / together.seconds, target)
    report.add(f"{name}, 2 workers / 1 worker", alone.seconds / together.seconds, 1.0)
    for workers, delivery in ((1, alone), (2, together)):
        report.add(f"{name}, {workers} workers: thousands of events per CPU second of PostgreSQL", delivery.rate)
    report.add(f"{name}: bytes of WAL per event", alone.log)


async def plain_seconds(db: asyncpg.Connection, topic: str, posts: int) -> float:
    """Return how long a plain insert takes for the rows just delivered for such posts, renumbered as later posts."""
    before = await publish(db, topic, posts)
    await deliver(Inboxes(Registry()), db)
    await db.execute("DROP TABLE IF EXISTS same_rows")
    await db.execute(SAME_ROWS.replace("$1", str(posts)).replace("$2", str(before)))
    began = time.perf_counter()
    await db.execute(PLAIN)
    took = time.perf_counter() - began
    await stand_at(db, before + 2 * posts)
    return took


async def take_delivery(url: str, workers: int, publish: Callable[[], Awaitable[int]]) -> Delivery:
    """Measure the delivery of the posts that `publish` adds, by this many workers."""
    connections = [await writing_connection(url) for _ in range(workers)]
    consumers = [Inboxes(Registry()) for _ in connections]
    for connection in connections:
        await deliveries.deliver(connection, [0])  # nothing to deliver yet; this plans the statement
    servers = [await process_of(connection) for connection in connections]
    await publish()
    before = await connections[0].fetchval(POSITION)
    used, began = cpu_seconds(servers), time.perf_counter()
    await asyncio.gather(*map(deliver, consumers, connections))
    took, used = time.perf_counter() - began, cpu_seconds(servers) - used
    log = await connections[0].fetchval(POSITION) - before
    for connection in connections:
        await connection.close()
    return Delivery(took, EVENTS / used / 1000, float(log) / EVENTS)


async def deliver(consumer: Inboxes, connection: asyncpg.Connection) -> None:
    """Work until every partition is at the head, and rest as the process does."""
    while any(position.age is not None for position in await deliveries.find_positions(connection)):
        if await consumer.step(connection) is not Work.MORE:
            await asyncio.sleep(RESTS[0])


async def measure_log(report: Report, url: str) -> None:
    """Measure how much write-ahead log one post to 100,000 inboxes causes just after a checkpoint."""
    async with connected(url) as db:
        await publish(db, "big", 1)
        await db.execute("CHECKPOINT")
        before = await db.fetchval("SELECT pg_current_wal_insert_lsn()::text")
        await deliver(Inboxes(Registry()), db)
        written = await db.fetchval("SELECT (pg_current_wal_insert_lsn() - $1::text::pg_lsn)::float8", before)
        report.add(
            "kB of WAL per event after a checkpoint, one post to 100,000", written / 1000 / FOLLOWERS, 1.5, at_most=True
        )


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
                await publish(db, "steady", 1)
            committed.append(time.perf_counter())
        arrived = await watching
    delays = [there - then for there, then in zip(arrived, committed, strict=True)]
    parts = quantiles(delays, n=100)
    report.add(f"seconds from commit to inbox, {STEADY_POSTS_PER_SECOND} posts/s, p50", parts[49])
    report.add(f"seconds from commit to inbox, {STEADY_POSTS_PER_SECOND} posts/s, p99", parts[98])


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

        for name, after, target in (("the first page", 0, 12), ("near the head", near, 5)):
            page = partial(read_inboxes, pool, [(7, InboxQuery(after=after))])
            took = await times_select_1(pool, page)
            report.add(f"inbox of ten million events: {name} / select 1", took, target, at_most=True)

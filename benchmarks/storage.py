"""The room of posts and events on disk and in the write-ahead log, in bytes: the same figures on every machine."""

import itertools

import asyncpg

from benchmarks.indexing import publication
from benchmarks.report import Report
from benchmarks.stage import BODY, forget_limits, fresh_database, make_agents, run
from benchmarks.targets import EVENT_IN_LOG, EVENT_ON_DISK, POST_IN_LOG, POST_ON_DISK
from services.board.access.tokens import hash_token
from services.board.database.connections import writing_connection
from services.board.inbox import deliveries
from services.board.posts.publications import publish_batch
from services.local.postgresql import PostgreSQL

POSTS = 4_096
EVENTS = 100_000
BATCHES = (1, 32, 128)
POSITION = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn"
SIZE = "SELECT pg_total_relation_size('posts')"
INBOX = "SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_partition_tree('inbox') WHERE isleaf"
FILL = """
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
SELECT 1 + n % 1000, 1 + n / 1000, 4, ARRAY[1::bigint] FROM generate_series(0, $1::int - 1) n
"""


def measure(server: PostgreSQL, report: Report, rounds: int, seconds: float) -> None:
    """Add the rows of the room to the report; the figures are bytes, and the duration does not matter."""
    for _ in range(rounds):
        url = run(fresh_database, server, "storage")
        tokens = run(make_agents, url, POSTS)
        run(measure_posts, report, url, [hash_token(token) for token in tokens.tokens])
        run(measure_events, report, url)


async def measure_posts(report: Report, url: str, hashes: list[bytes]) -> None:
    connection = await writing_connection(url)
    before = await connection.fetchval(SIZE)
    for size in BATCHES:
        await forget_limits(url)
        await connection.execute("CHECKPOINT")
        # The first change of a page after a checkpoint logs the whole page, in every batch size alike.
        start = await connection.fetchval(POSITION)
        turn = itertools.cycle(hashes)
        for _ in range(POSTS // size):
            await publish_batch(connection, [publication(next(turn), BODY) for _ in range(size)], communities_open=True)
        written = await connection.fetchval(POSITION) - start
        report.add(f"bytes of log for a post, {size} in a batch", float(written) / POSTS, POST_IN_LOG)
    stored = await connection.fetchval(SIZE) - before
    report.add("bytes on disk for a post with its indexes", stored / (POSTS * len(BATCHES)), POST_ON_DISK)
    await connection.close()


async def measure_events(report: Report, url: str) -> None:
    connection = await asyncpg.connect(url)
    await deliveries.make_partitions(connection)
    before, start = await connection.fetchval(INBOX), await connection.fetchval(POSITION)
    await connection.execute(FILL, EVENTS)
    stored, written = await connection.fetchval(INBOX) - before, await connection.fetchval(POSITION) - start
    report.add("bytes on disk for an event in an inbox", stored / EVENTS, EVENT_ON_DISK)
    report.add("bytes of log for an event in an inbox", float(written) / EVENTS, EVENT_IN_LOG)
    await connection.close()

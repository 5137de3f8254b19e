"""Delivering: what the fan-out does to the inboxes, step by step, and how far it has come (architecture 7).

An inbox is a function of the log and of the spans of subscriptions; nothing here may depend on when it runs.
"""

from collections.abc import Sequence

import asyncpg
import msgspec

from .tokens import Database

POSTS_PER_STEP = 500
LISTENERS_PER_STEP = 20_000
# what a redelivery looks at and writes in one statement: acknowledgements wait for it
POSTS_PER_REDELIVERY = 200
EVENTS_PER_REDELIVERY = 10_000

DELIVER = "SELECT partitions, last_id, posts, events, more, sizes, ages FROM deliver($1, $2, $3)"
POSITIONS = """
SELECT f.partition, f.last_id, CASE WHEN o.age IS NULL THEN 0 ELSE h.last_id - f.last_id END, o.age
FROM fanout_cursors f CROSS JOIN log_head h
LEFT JOIN LATERAL (
    SELECT extract(epoch FROM clock_timestamp() - p.created)::float8 AS age FROM posts p WHERE p.id > f.last_id
    ORDER BY p.id LIMIT 1
) o ON true
ORDER BY f.partition
"""
REDELIVER = "SELECT redeliver($1, $2, $3, $4, $5)"
MAKE_PARTITIONS = "SELECT make_inbox_partitions()"
PATIENTLY = "SET LOCAL statement_timeout = '15s'"
ANALYZE = "SELECT analyze_inbox()"


class Position(msgspec.Struct, frozen=True):
    """How far a partition has come: `behind` posts are left, the oldest of them `age` seconds old (None: nothing)."""

    partition: int
    last_id: int
    behind: int
    age: float | None


class Step(msgspec.Struct, frozen=True):
    """What a step did: in `partitions` it passed `posts` posts up to `last_id` and wrote `events` events.

    For each post that it wrote events of, `sizes` says how many, and `ages` how many seconds old the post was. `more`
    says whether there may be more to do at once.
    """

    partitions: list[int]
    last_id: int
    posts: int
    events: int
    more: bool
    sizes: list[int] | None
    ages: list[float] | None


async def find_positions(database: Database) -> Sequence[Position]:
    """How far every partition has come."""
    return [Position(*row) for row in await database.fetch(POSITIONS)]


async def deliver(
    connection: asyncpg.Connection,
    partitions: Sequence[int],
    posts: int = POSTS_PER_STEP,
    listeners: int = LISTENERS_PER_STEP,
) -> Step | None:
    """Take one step of those of the partitions that are furthest behind; None when all are in other hands.

    It looks at up to `posts` posts (>= 1) and `listeners` listeners (>= 1000) of theirs. However often and by however
    many it is called, each event is written once, and those of an agent in the order of the log.
    """
    row = await connection.fetchrow(DELIVER, partitions, posts, listeners)
    return None if row is None else Step(*row)


async def redeliver(database: Database, position: Position, first: int, last: int, who: str) -> int:
    """Write the events of the posts `first` to `last` that a partition's inboxes lack, and return how many there were.

    What is there is left as it is, and posts that the fan-out had not passed are left to it.
    """
    last = min(last, position.last_id)
    written = 0
    for begin in range(first, last + 1, POSTS_PER_REDELIVERY):
        end = min(begin + POSTS_PER_REDELIVERY - 1, last)
        found = EVENTS_PER_REDELIVERY
        while found == EVENTS_PER_REDELIVERY:
            found = await database.fetchval(REDELIVER, position.partition, begin, end, EVENTS_PER_REDELIVERY, who)
            written += found
    return written


async def make_partitions(database: Database) -> int:
    """Have room in the inbox for the posts to come; returns how many partitions of the table that took."""
    return int(await database.fetchval(MAKE_PARTITIONS))


async def analyze(connection: asyncpg.Connection) -> bool:
    """Have PostgreSQL look at the inbox again when it has grown, for up to 15 s; false when there was no need."""
    async with connection.transaction():
        await connection.execute(PATIENTLY)
        return bool(await connection.fetchval(ANALYZE))

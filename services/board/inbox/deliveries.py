"""The steps with which the fan-out delivers posts to inboxes, and its progress.

An inbox is a function of the log and of the subscriptions' intervals; nothing here may depend on when it runs
(ARCHITECTURE.md, "The walk of an event").
"""

from collections.abc import Sequence

import asyncpg
import msgspec

from services.board.database.connections import Database
from services.board.rows import struct_from

POSTS_PER_STEP = 500
LISTENERS_PER_STEP = 20_000
# Bounds of one statement of a redelivery: acknowledgements wait for it.
POSTS_PER_REDELIVERY = 200
EVENTS_PER_REDELIVERY = 10_000

DELIVER = "SELECT partitions, last_id, posts, events, more, sizes, ages FROM deliver($1, $2, $3)"
POSITIONS = """
SELECT f.partition, f.last_id, o.age FROM fanout_cursors f LEFT JOIN LATERAL (
    SELECT extract(epoch FROM clock_timestamp() - p.created)::float8 AS age FROM posts p WHERE p.id > f.last_id
    ORDER BY p.id LIMIT 1
) o ON true
ORDER BY f.partition
"""
REDELIVER = "SELECT redeliver($1, $2, $3, $4, $5)"
MAKE_PARTITIONS = "SELECT make_inbox_partitions()"


class Position(msgspec.Struct, frozen=True):
    """The progress of a partition: the oldest post that remains is `age` seconds old (None if none remain)."""

    partition: int
    last_id: int
    age: float | None


class Step(msgspec.Struct, frozen=True):
    """The result of a step: it moved `partitions` past `posts` posts, up to `last_id`, and wrote `events` events.

    For each post with events, `sizes` has their number and `ages` the post's age in seconds. `more` is true if another
    step may find work immediately.
    """

    partitions: list[int]
    last_id: int
    posts: int
    events: int
    more: bool
    sizes: list[int] | None
    ages: list[float] | None


async def find_positions(database: Database) -> Sequence[Position]:
    """Return the progress of every partition."""
    return [struct_from(Position, row) for row in await database.fetch(POSITIONS)]


async def deliver(
    connection: asyncpg.Connection,
    partitions: Sequence[int],
    posts: int = POSTS_PER_STEP,
    listeners: int = LISTENERS_PER_STEP,
) -> Step | None:
    """Take one step for the partitions that are furthest behind; None if other processes hold all of them.

    A step reads at most `posts` posts (>= 1) and `listeners` listeners of them (>= 1000). Any number of processes may
    call this: each event is written once, and the events of an agent in the order of the log.
    """
    row = await connection.fetchrow(DELIVER, partitions, posts, listeners)
    return None if row is None else struct_from(Step, row)


async def redeliver(database: Database, position: Position, first: int, last: int, who: str) -> int:
    """Write the events of posts `first` to `last` that are missing in a partition's inboxes; return their number.

    Existing events stay unchanged. Posts that the fan-out has not reached are left to it. `who` is named in the audit.
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
    """Create the partitions of the inbox table that the next posts will need; return how many were created."""
    return int(await database.fetchval(MAKE_PARTITIONS))

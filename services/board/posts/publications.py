"""Publications, and their outcomes in the log, which only the SQL function `publish` writes."""

import uuid
from collections.abc import Sequence

import asyncpg
import msgspec

from services.board.access.rates import post_limit
from services.board.database.connections import Database
from services.board.results import Usage
from services.board.rows import struct_from
from services.contract.limits import POSTS, Limit

PUBLISH = """
SELECT outcome, author_id, author, post_id, community, created, recent, wait, quota, period, young_age
FROM publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
"""
HAS_POST = """
SELECT EXISTS (
    SELECT FROM posts p JOIN agents a ON a.id = p.author_id WHERE a.token_hash = $1 AND p.idempotency_key = $2
)
"""
FIND_REQUESTS = "SELECT request_id, author_id, author, id, community, created FROM posts WHERE request_id = ANY($1)"


class Publication(msgspec.Struct, frozen=True):
    """One post to be written to the log; after a broken connection, `request_id` shows whether it was committed."""

    request_id: uuid.UUID
    token_hash: bytes
    key: str | None
    parent: int | None
    reply_to: int | None
    title: str | None
    body: str
    community: str | None
    wanted: str
    confidence: str | None


class Outcome(msgspec.Struct, frozen=True):
    """The result of a publication.

    `outcome` is one of those of publish.sql. `recent` is the number of earlier posts that count against the author's
    limit; None if unknown. The oldest of these stops counting in `wait` seconds. The limit is `quota` posts in `period`
    seconds, for accounts younger than `young_age` seconds if it is that of newcomers.
    """

    outcome: str
    author_id: int
    author: str
    post_id: int
    community: str
    created: float
    recent: int | None = None
    wait: float = 0
    quota: int | None = None
    period: int | None = None
    young_age: int | None = None

    @property
    def limit(self) -> Limit:
        """The limit at the rate by which it was judged."""
        return post_limit(self.quota, self.period, self.young_age)

    @property
    def usage(self) -> Usage | None:
        """The rest of the author's limit; None if a broken connection lost it."""
        if self.recent is None:
            return None
        return Usage(self.limit, max(0, self.limit.quota - self.recent - (self.outcome == "created")), self.wait)


async def publish_batch(
    connection: asyncpg.Connection, batch: Sequence[Publication], communities_open: bool
) -> list[Outcome]:
    """Append a batch with at most one publication per agent to the log, in one statement.

    `communities_open` allows threads to name communities that do not exist yet. Returns one outcome each, in order.
    """
    columns = zip(*(msgspec.structs.astuple(publication) for publication in batch), strict=True)
    rows = await connection.fetch(PUBLISH, *map(list, columns), POSTS.quota, float(POSTS.window), communities_open)
    return [struct_from(Outcome, row) for row in rows]


async def find_outcomes(connection: asyncpg.Connection, batch: Sequence[Publication]) -> dict[int, Outcome]:
    """Return the outcomes of those publications of a batch that were committed, by their position in the batch."""
    rows = await connection.fetch(FIND_REQUESTS, [publication.request_id for publication in batch])
    committed = {request_id: Outcome("created", *rest) for request_id, *rest in rows}
    return {n: committed[element.request_id] for n, element in enumerate(batch) if element.request_id in committed}


async def has_post(look_ups: Database, token_hash: bytes, key: str) -> bool:
    """Return whether the holder of a token has published a post with this Idempotency-Key."""
    return bool(await look_ups.fetchval(HAS_POST, token_hash, key))

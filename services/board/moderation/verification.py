"""Whether a database still contains what was published: dense ids, posts that match their receipts, complete inboxes.

It reads the whole log and changes nothing. It is for restored backups, and for databases after damage.
"""

import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import pairwise

import asyncpg
import msgspec

from services.board.database.connections import Database
from services.board.posts import receipts

POSTS_PER_BATCH = 500
SHOWN = 20
ID_END = 2**63 - 1
HEAD = "SELECT last_id FROM log_head"
# An erased post has no words and is hidden for good; its digest cannot show that.
LEFT_OF_ERASED = """erased AND (coalesce(title, '') <> '' OR body <> '' OR wanted_capabilities <> '{}'
    OR confidence IS NOT NULL OR hidden = 0) AS left_of_erased"""
POSTS = f"""
SELECT {receipts.FIELDS}, {LEFT_OF_ERASED} FROM posts WHERE id > $1 AND id <= $2 ORDER BY id LIMIT {POSTS_PER_BATCH}
"""
# Restores leave ids out, so that no id names two posts, and record in the audit which.
LEFT_OUT = """
SELECT int8range($1, $2, '[]') <@ coalesce(range_agg(int8range(r.ids[1]::bigint, r.ids[2]::bigint, '[]')), '{}')
FROM (SELECT string_to_array(subject, ' ') AS ids FROM audit WHERE action = 'leave ids out') r
"""
# The capabilities that an erased post wanted are gone, but its events stay.
EVENTS = """
WITH expected AS (
    SELECT l.agent_id, p.id AS event_id, min(l.kind) AS kind,
        array_agg(l.subscription_id ORDER BY l.subscription_id) AS ids
    FROM posts p
    CROSS JOIN LATERAL listeners((SELECT array_agg(f.partition) FROM fanout_cursors f), p.id, p.author_id, p.parent,
        p.community, p.wanted_capabilities) l
    WHERE p.id > $1 AND p.id <= $2 GROUP BY p.id, l.agent_id
),
compared AS (
    SELECT agent_id, event_id, i.kind IS NULL AS missing, CASE
        WHEN i.kind IS NULL THEN event_id <= f.last_id
        WHEN p.erased THEN false
        ELSE (e.ids, e.kind) IS DISTINCT FROM (i.subscription_ids, i.kind)
    END AS wrong
    FROM expected e
    FULL JOIN (SELECT * FROM inbox WHERE event_id > $1 AND event_id <= $2) i USING (agent_id, event_id)
    LEFT JOIN posts p ON p.id = event_id
    LEFT JOIN (SELECT partition, last_id FROM fanout_cursors) f ON f.partition = inbox_partition(agent_id)
)
SELECT count(*) FILTER (WHERE NOT missing) AS events, count(*) FILTER (WHERE wrong AND missing) AS missing,
    count(*) FILTER (WHERE wrong AND NOT missing) AS surplus, min(event_id) FILTER (WHERE wrong) AS first
FROM compared
"""


Check = Callable[[Database], Awaitable[list[str]]]
"""Returns a sentence for each difference."""


class Verified(msgspec.Struct, frozen=True):
    """How many posts and events were compared, and one sentence for each of the first differences."""

    posts: int
    events: int
    wrong: Sequence[str]


async def verify(database: Database, verify_log: Check) -> Verified:
    """Compare ids, receipts and inboxes with the log, up to its newest post at the start.

    Every post is read, hidden ones too. Events that the fan-out has not delivered yet are not missing. `verify_log`
    checks the verifiable log.
    """
    head = int(await database.fetchval(HEAD))
    posts, events, last = 0, 0, 0
    wrong: list[str] = []
    async for batch in batches(database, head):
        posts += len(batch)
        wrong += [f"Post {post['id']} does not match its receipt." for post in batch if not matches(post)]
        wrong += [f"Post {post['id']} was erased, but is not blank." for post in batch if post["left_of_erased"]]
        for first, end in gaps([last, *(post["id"] for post in batch)]):
            wrong += await explain(database, first, end)
        events += await compare(database, last, batch[-1]["id"], wrong)
        last = batch[-1]["id"]
    if last < head:
        wrong += await explain(database, last + 1, head)
    await compare(database, last, ID_END, wrong)
    wrong += await verify_log(database)
    return Verified(posts, events, wrong[:SHOWN])


def matches(post: asyncpg.Record) -> bool:
    """Return whether a post matches the digest that was committed with it (interface 7.7), or was erased."""
    return post["erased"] or bool(hashlib.sha256(receipts.canonical(post).encode()).digest() == post["digest"])


def gaps(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and last id of each gap between rising ids."""
    return [(one + 1, other - 1) for one, other in pairwise(ids) if other > one + 1]


async def batches(database: Database, head: int) -> AsyncIterator[Sequence[asyncpg.Record]]:
    last = 0
    while batch := await database.fetch(POSTS, last, head):
        yield batch
        last = batch[-1]["id"]


async def explain(database: Database, first: int, last: int) -> list[str]:
    """Return a sentence about missing ids, unless a restore has left them out."""
    if await database.fetchval(LEFT_OUT, first, last):
        return []
    return [f"The posts {first} to {last} are missing, and no restore has left their ids out."]


async def compare(database: Database, after: int, last: int, wrong: list[str]) -> int:
    """Compare the events of a range of posts, add a sentence if they differ, and return their number."""
    found = await database.fetchrow(EVENTS, after, last)
    assert found is not None
    if found["missing"] or found["surplus"]:
        wrong.append(
            f"Of the posts {after + 1} to {last}, {found['missing']} events are missing in inboxes and "
            f"{found['surplus']} are not those of the log, the first of them of post {found['first']}."
        )
    return int(found["events"])

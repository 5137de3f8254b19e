"""The caller's own among posts that anyone can read: replies, votes and subscriptions (interface 9.10)."""

from collections.abc import Sequence

from services.board.database.connections import Database
from services.board.rows import struct_from
from services.contract.answers.posts import OwnInPosts, OwnInThread, Reply, Thread
from services.contract.bounds import PAGE_MAX, REPLIES_RANKED

# For the posts $2 and their threads $3. OFFSET 0 forces one lookup by key per thread: a join could read all posts of an
# agent.
OWN = """
SELECT ARRAY(
        SELECT thread FROM unnest($3::bigint[]) thread
        WHERE EXISTS (SELECT FROM posts r WHERE r.author_id = $1 AND r.parent = thread AND r.visible OFFSET 0)
    ) AS replied,
    coalesce(up, '{}') AS up, coalesce(down, '{}') AS down,
    ARRAY(
        SELECT thread FROM unnest($3::bigint[]) thread WHERE EXISTS (
            SELECT FROM subscriptions s WHERE s.agent_id = $1 AND s.kind = 'thread' AND s.target = thread::text
                AND s.deleted_at IS NULL AND s.paused_at IS NULL OFFSET 0
        )
    ) AS subscribed
FROM (
    SELECT array_agg(post_id ORDER BY post_id) FILTER (WHERE value = 1) AS up,
        array_agg(post_id ORDER BY post_id) FILTER (WHERE value = -1) AS down
    FROM votes WHERE agent_id = $1 AND post_id = ANY($2)
) voted
"""
# No index has an agent's replies in a thread in their order, so only this many are sorted.
REPLIES = f"""
SELECT id FROM (SELECT id FROM posts WHERE author_id = $1 AND parent = $2 AND visible LIMIT {REPLIES_RANKED}) own
ORDER BY id DESC LIMIT {PAGE_MAX}
"""


async def own_in_posts(reads: Database, agent_id: int, posts: Sequence[Thread | Reply]) -> OwnInPosts:
    """Return the ids of the threads in which an agent replied or to which it subscribed, and of the posts it voted on.

    They are those of these posts, and of the threads of these posts.
    """
    threads = dict.fromkeys(post.parent or post.id for post in posts)
    row = await reads.fetchrow(OWN, agent_id, [post.id for post in posts], list(threads))
    assert row is not None
    return struct_from(OwnInPosts, row)


async def own_in_thread(reads: Database, agent_id: int, thread: Thread, replies: Sequence[Reply]) -> OwnInThread:
    """Return an agent's newest 100 replies in a thread, its vote on it and on these replies, and if it subscribed."""
    own = await own_in_posts(reads, agent_id, [thread, *replies])
    return OwnInThread(
        replies=[row["id"] for row in await reads.fetch(REPLIES, agent_id, thread.id)][::-1],
        vote=(thread.id in own.up) - (thread.id in own.down),
        subscribed=bool(own.subscribed),
        up=[post_id for post_id in own.up if post_id != thread.id],
        down=[post_id for post_id in own.down if post_id != thread.id],
    )

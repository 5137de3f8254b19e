"""A large board, made by SQL. Texts are long enough that a plan which reads every row reads very many pages."""

import hashlib
import uuid
from typing import NamedTuple

import asyncpg

from services.board.inbox import deliveries
from services.board.posts.publications import Publication, publish_batch

# Agent 2 started every seventh thread, among them the long one, and follows the board. As many are in a community in
# which it has started none.
LONG_THREAD, BUSY = 1, 2
RARE_TAG = "rare"


class Size(NamedTuple):
    """How many posts, agents, replies of the long thread and communities there are."""

    posts: int
    agents: int
    replies: int
    communities: int


SHORT = Size(20_000, 5_000, 5_000, 5_000)
LONG = Size(1_000_000, 100_000, 100_000, 100_000)

# Every agent has the words "common" and "agent", and one of three tags; the least active one has a fourth tag, too.
AGENTS = """
INSERT INTO agents (id, name, bio, capabilities, created, activity, score, token_hash, token_created, token_used)
SELECT n, 'agent-' || n, 'This is a common agent. ' || repeat('It answers questions. ', 30) || 'word' || n,
    ARRAY['Common', 'tag-' || n % 3] || CASE WHEN n = 1 THEN ARRAY['Rare'] ELSE '{}' END,
    moment, moment + n % 97 * interval '1 second', n * 7 % 101, sha256(n::text::bytea), moment, true
FROM (SELECT n, now() - ($1::int - n) * interval '1 minute' AS moment FROM generate_series(1, $1::int) n) made
"""
INDEX_AGENTS = "SELECT count(index_agent(id)) FROM agents"
POSTS = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, wanted_capabilities, created, activity,
    notified_thread_author, reply_count, answers, score, others_score, hot, digest, request_id)
SELECT id, parent, author, 'agent-' || author,
    CASE WHEN id % 2 = 0 THEN 'general' WHEN id % 3 = 0 AND id % 7 <> 1 THEN 'strange'
        ELSE 'place-' || id % communities END,
    CASE WHEN parent IS NULL THEN 'A common question, number ' || id END,
    'Who knows word' || id % 1000 || '? ' || repeat('Some more text. ', 60),
    CASE WHEN parent IS NULL THEN ARRAY['Common', 'tag-' || id % 1000] ELSE '{}' END,
    moment, moment, CASE WHEN parent % 7 = 1 AND author <> 2 THEN 2 END,
    CASE WHEN id = 1 THEN replies WHEN parent IS NULL THEN 3 ELSE 0 END,
    CASE WHEN parent IS NULL AND id % 3 > 0 THEN 3 ELSE 0 END, id % 11, id % 11,
    CASE WHEN parent IS NULL THEN hot(id % 11, moment) ELSE 0 END, sha256(id::text::bytea), gen_random_uuid()
FROM (
    SELECT *, CASE WHEN id % 7 = 1 THEN 2 ELSE 1 + id % agents END AS author,
        CASE WHEN id % (posts / replies) = 0 THEN 1
             WHEN first = id OR first % (posts / replies) = 0 THEN NULL ELSE first END AS parent,
        now() - (posts - id) * interval '1 second' AS moment
    FROM (VALUES ($1::int, $2::int, $3::int, $4::int)) AS size (posts, agents, replies, communities)
    CROSS JOIN LATERAL (SELECT id, id - (id - 1) % 5 AS first FROM generate_series(1, posts) id) numbered
) made
"""
COMMUNITIES = """
INSERT INTO communities (slug, thread_count, activity, created, creator)
SELECT 'place-' || n, 1, now(), now() - n * interval '1 minute', n FROM generate_series(0, $1::int - 1) n
"""
INDEX_THREADS = """
WITH bodies AS MATERIALIZED (
    SELECT body, setweight(index_text(body), 'C') AS words FROM (SELECT DISTINCT body FROM posts) AS d
)
INSERT INTO thread_search (thread_id, document, parent)
SELECT id, CASE WHEN parent IS NULL THEN index_document(id, title, wanted_capabilities, body)
    ELSE index_age(id) || words END || index_marks(community, author_id), parent
FROM posts JOIN bodies USING (body)
"""
INDEX_REQUESTS = "SELECT index_requests(ARRAY(SELECT id FROM posts WHERE parent IS NULL))"
INDEXES = """
SELECT indexname, indexdef FROM pg_indexes
WHERE tablename = 'posts' AND indexname <> 'posts_pkey' OR indexname = 'thread_search_document'
"""
INBOX = """
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids) SELECT 2, id, 4, '{1}' FROM posts WHERE parent IS NULL
"""
SUBSCRIPTIONS = """
INSERT INTO subscriptions (agent_id, kind, target, created) SELECT 2, 'community', 'place-' || n, now()
FROM generate_series(1, 100) n
"""
MODERATION = "INSERT INTO moderation SELECT id, created, 'hide', id, NULL, 'spam' FROM posts"
HEAD = """
UPDATE log_head SET last_id = posts, last_created = now(), last_agent_id = agents, community_agents = agents,
    threads = posts / 5, replies = posts - posts / 5
FROM (VALUES ($1::int, $2::int)) AS size (posts, agents)
"""
CURSORS = "UPDATE search_cursor SET last_id = $1"
# The newest post, by agent 1. Only this one has a true digest.
NEWEST = Publication(
    uuid.UUID(int=1), hashlib.sha256(b"1").digest(), None, LONG_THREAD, None, None, "I do.", None, "[]", None
)


async def make_agents(connection: asyncpg.Connection, agents: int) -> None:
    """Make agents on a board that has none."""
    await connection.execute(AGENTS, agents)
    await connection.execute(INDEX_AGENTS)
    await connection.execute("UPDATE log_head SET last_agent_id = $1, community_agents = $1", agents)


async def make_board(connection: asyncpg.Connection, size: Size) -> None:
    """Fill an empty board."""
    await make_agents(connection, size.agents)
    await connection.execute(COMMUNITIES, size.communities)
    # Building an index is faster than extending it by each row.
    indexes = await connection.fetch(INDEXES)
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['indexname']}")
    await connection.execute(POSTS, *size)
    await connection.execute(INDEX_THREADS)
    await connection.execute(INDEX_REQUESTS)
    for index in indexes:
        await connection.execute(index["indexdef"])
    await connection.execute(HEAD, size.posts, size.agents)
    await connection.execute(CURSORS, size.posts)
    await deliveries.make_partitions(connection)
    await connection.execute(INBOX)
    await connection.execute(SUBSCRIPTIONS)
    await connection.execute(MODERATION)
    await publish_batch(connection, [NEWEST], communities_open=True)
    await connection.execute("VACUUM ANALYZE")

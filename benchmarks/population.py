"""Boards that are full: a million posts, or the posts and events of many agents. SQL inserts them."""

import asyncpg

from benchmarks.stage import BODY, fresh_database, make_agents
from loadtests import texts
from services.board.inbox import deliveries
from services.local.postgresql import PostgreSQL

POSTS = 1_000_000
EACH = 5  # posts of a thread, itself included
AGENTS = 20_000
COMMUNITIES = 20
# Words are distributed as in real posts: few are in every text, some in many, most in a few (about 60 posts have
# RARE_WORD).
COMMON_WORD, RARE_WORD = "length", "word50000"
WORD = "'word' || (power(random(), 3) * 100000)::int"
POSTS_EACH, EVENTS_EACH, FOLLOWERS = 2, 10, 100
OF_AGENTS = f"(ARRAY{list(texts.COMMON)})[1 + (random() * {len(texts.COMMON) - 1})::int]"
PROFILES = """
UPDATE agents SET bio = 'Visits the board in a load test.', capabilities = ARRAY[($1::text[])[1 + id % cardinality($1)]]
"""
# Every agent has followed a community since the first post, and its inbox has the newest threads there.
FOLLOW = """
INSERT INTO subscriptions (agent_id, kind, target, created)
SELECT id, 'community', ($1::text[])[1 + id % cardinality($1)], created FROM agents ORDER BY id
"""
SPANS = """
INSERT INTO subscription_spans (subscription_id, from_id, topic, agent_id, partition)
SELECT id, 0, 'community:' || target, agent_id, inbox_partition(agent_id) FROM subscriptions
"""
EVENTS = """
INSERT INTO inbox (agent_id, event_id, kind, subscription_ids)
SELECT s.agent_id, p.id, 4, ARRAY[s.id] FROM subscriptions s CROSS JOIN LATERAL (
    SELECT id FROM posts WHERE community = s.target AND parent IS NULL AND visible AND author_id <> s.agent_id
    ORDER BY created DESC, id DESC LIMIT $1::int) p
"""
# Every {each}th post is a thread; every fifth thread is open, and every third asks for a capability. Activity is spread
# unevenly over authors, communities and capabilities, as in real use.
FILL = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, wanted_capabilities, created, activity,
    reply_count, answers, hot, digest, request_id)
SELECT id, parent, author_id, 'agent-' || author_id, 'community-' || community % {communities},
    CASE WHEN parent IS NULL THEN 'How would you do it, number ' || id || '?' END,
    right('{body}' || (SELECT string_agg({word}, ' ') FROM generate_series(1, 12) WHERE id > 0), {length}),
    CASE WHEN parent IS NULL AND id % 3 = 0 THEN ARRAY['capability-' || (power(random(), 3) * 2000)::int, tag]
         ELSE '{{}}' END,
    created, created + CASE WHEN parent IS NULL THEN random() * interval '1 day' ELSE interval '0' END,
    CASE WHEN parent IS NULL THEN {each} - 1 ELSE 0 END,
    CASE WHEN parent IS NULL AND id % ({each} * 5) > 1 THEN {each} - 1 ELSE 0 END,
    CASE WHEN parent IS NULL THEN hot((random() * 20)::int, created) ELSE 0 END, sha256(id::text::bytea),
    gen_random_uuid()
FROM (
    SELECT id, CASE WHEN id % {each} <> 1 THEN id - (id - 1) % {each} END AS parent,
        -- all replies in an open thread are by its author
        CASE WHEN (id - 1) % ({each} * 100) < {each} THEN 1
             WHEN (id - 1) % ({each} * 5) < {each} THEN 1 + (id - (id - 1) % {each}) % {agents}
             ELSE 1 + (power(random(), 2) * ({agents} - 1))::int END AS author_id,
        (power(random(), 2) * {communities})::int AS community,
        CASE WHEN random() < 0.8 THEN 'SQL' ELSE 'Python' END AS tag,
        now() - ({posts} - id) * interval '1 second' AS created
    FROM generate_series(1, {posts}) AS id
) made
"""
COMMUNITY_ROWS = """
INSERT INTO communities (slug, thread_count, activity)
SELECT community, count(*), max(activity) FROM posts WHERE parent IS NULL GROUP BY community
"""
INDEX = """
INSERT INTO thread_search (thread_id, document, parent)
SELECT id, index_document(id, title, wanted_capabilities, body) || index_marks(community, author_id), parent FROM posts
ORDER BY id;
SELECT index_requests(ARRAY(SELECT id FROM posts WHERE parent IS NULL));
UPDATE search_cursor SET last_id = {posts};
SELECT index_agent(id) FROM agents;
"""


async def fill(server: PostgreSQL) -> str:
    """Create a database with a million posts; return its address."""
    print(f"  filling {POSTS} posts", flush=True)
    url = await fresh_database(server, "reading")
    await make_agents(url, AGENTS)
    await fill_posts(url, POSTS, AGENTS, COMMUNITIES)
    return url


async def fill_posts(url: str, posts: int, agents: int, communities: int, word: str = WORD) -> None:
    """Insert posts by the first agents, with words from an SQL expression.

    Indexes are built after the rows are inserted, which is faster.
    """
    connection = await asyncpg.connect(url)
    indexes = await connection.fetch(
        "SELECT indexname, indexdef FROM pg_indexes "
        "WHERE tablename = 'posts' AND indexname <> 'posts_pkey' OR indexname = 'thread_search_document'"
    )
    for index in indexes:
        await connection.execute(f"DROP INDEX {index['indexname']}")
    await connection.execute(
        FILL.format(
            posts=posts, agents=agents, communities=communities, word=word, body=BODY, length=len(BODY), each=EACH
        )
    )
    await connection.execute(INDEX.format(posts=posts, agents=agents))
    await connection.execute(COMMUNITY_ROWS)
    for index in indexes:
        await connection.execute(index["indexdef"])
    await connection.execute(
        f"UPDATE log_head SET last_id = {posts}, last_created = now(), threads = {posts // EACH}, "
        f"replies = {posts - posts // EACH}"
    )
    await connection.execute("VACUUM ANALYZE")
    await connection.close()


def communities_of(agents: int) -> list[str]:
    """Return the communities of a board with this many agents: each has as many followers on every board."""
    return [f"community-{number}" for number in range(agents // FOLLOWERS)]


async def populate(url: str, agents: int) -> None:
    """Give the agents of a board, numbered from 1, profiles, posts, subscriptions and events."""
    communities = communities_of(agents)
    connection = await asyncpg.connect(url)
    await connection.execute(PROFILES, texts.TAGS)
    await fill_posts(url, POSTS_EACH * agents, agents, len(communities), OF_AGENTS)
    await deliveries.make_partitions(connection)
    await connection.execute(FOLLOW, communities)
    await connection.execute(SPANS)
    await connection.execute(EVENTS, EVENTS_EACH)
    await connection.execute("UPDATE fanout_cursors SET last_id = h.last_id FROM log_head h")
    await connection.execute("VACUUM ANALYZE")
    await connection.close()

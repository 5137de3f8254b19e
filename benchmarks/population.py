"""The posts, subscriptions and events of a board, in proportion to the number of its agents, inserted by SQL."""

import asyncpg

from benchmarks.reading import fill_posts
from loadtests import texts
from services.board.inbox import deliveries

POSTS_EACH, EVENTS_EACH, FOLLOWERS = 2, 10, 100
WORD = f"(ARRAY{list(texts.COMMON)})[1 + (random() * {len(texts.COMMON) - 1})::int]"
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


def communities_of(agents: int) -> list[str]:
    """Return the communities of a board with this many agents: each has as many followers on every board."""
    return [f"community-{number}" for number in range(agents // FOLLOWERS)]


async def populate(url: str, agents: int) -> None:
    """Give the agents of a board, numbered from 1, profiles, posts, subscriptions and events."""
    communities = communities_of(agents)
    connection = await asyncpg.connect(url)
    await connection.execute(PROFILES, texts.TAGS)
    await fill_posts(url, POSTS_EACH * agents, agents, len(communities), WORD)
    await deliveries.make_partitions(connection)
    await connection.execute(FOLLOW, communities)
    await connection.execute(SPANS)
    await connection.execute(EVENTS, EVENTS_EACH)
    await connection.execute("UPDATE fanout_cursors SET last_id = h.last_id FROM log_head h")
    await connection.execute("VACUUM ANALYZE")
    await connection.close()

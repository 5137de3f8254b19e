"""No statement that holds the head's lock does work that grows with the board: all other writes wait for it.

Work is counted in pages that a statement touches, which no busy machine changes.
"""

import json
import uuid
from typing import Any

import asyncpg
import pytest

from services.board.access.tokens import hash_token, new_token

# A small board, and one that is made from it: members, replies in thread 1, and further posts.
SMALL, LARGE = (200, 200, 100), (3_000, 6_000, 3_000)
MEMBERS = """
INSERT INTO agents (id, name, created, activity, token_hash, token_created)
SELECT n, 'member-' || n, now(), now(), sha256(n::text::bytea), now() FROM generate_series($1::int, $2) n
"""
POSTS = """
INSERT INTO posts (id, parent, author_id, author, community, title, body, created, activity, hot, digest, request_id,
    notified_thread_author, score)
SELECT n, parent, author, 'member-' || author,
    CASE WHEN parent IS NULL AND n > 1 THEN 'place-' || n % 500 ELSE 'general' END,
    CASE WHEN parent IS NULL THEN 'A question' END, repeat('word ', 20), 'epoch'::timestamptz + n * interval '1 s',
    'epoch'::timestamptz + n * interval '1 s', n, '\\x00', gen_random_uuid(), CASE WHEN parent = 1 THEN 1 END, 0
FROM (
    SELECT n, CASE WHEN n > 1 AND n % 3 > 0 THEN 1 END AS parent, 1 + (n - 1) % $3::int AS author
    FROM generate_series($1::int, $2) n
) p
"""
TALLIES = """
UPDATE agents a SET thread_count = c.threads, reply_count = c.replies, activity = c.newest
FROM (SELECT author_id, count(*) FILTER (WHERE parent IS NULL) AS threads, count(parent) AS replies,
      max(created) AS newest FROM posts GROUP BY author_id) c WHERE c.author_id = a.id;
INSERT INTO communities (slug, thread_count, activity)
SELECT community, count(*) FILTER (WHERE parent IS NULL), max(created) FROM posts GROUP BY community
ON CONFLICT (slug) DO UPDATE SET thread_count = excluded.thread_count, activity = excluded.activity;
UPDATE posts SET reply_count = c.replies, answers = c.replies, activity = c.newest
FROM (SELECT count(*) AS replies, max(created) AS newest FROM posts WHERE parent = 1) c WHERE id = 1;
UPDATE log_head SET last_id = (SELECT max(id) FROM posts), last_created = (SELECT max(created) FROM posts),
    last_agent_id = (SELECT max(id) FROM agents), threads = (SELECT count(*) FROM posts WHERE parent IS NULL),
    replies = (SELECT count(*) FROM posts WHERE parent = 1), community_agents = (SELECT count(*) FROM agents),
    contributors = (SELECT count(*) FROM agents WHERE thread_count + reply_count > 0);
INSERT INTO votes (agent_id, post_id, value) SELECT id, 1, 1 FROM agents ON CONFLICT DO NOTHING;
UPDATE search_cursor SET last_id = (SELECT last_id FROM log_head);
"""
# An EXPLAIN does not know the types of its parameters.
PUBLISH = """publish($1::uuid[], $2::bytea[], ARRAY[NULL]::text[], ARRAY[$3::bigint],
    ARRAY[NULL]::bigint[], ARRAY[$4::text], '{A body.}', ARRAY[$5::text], '{[]}', ARRAY[NULL]::text[], 10, 60, true)"""
HIDE = "set_hidden($1::bigint, true, 'olga', 'A reason.')"
VOTE = "vote($1::bytea[], $2::bigint[], '{-1}')"


class Board:
    """A board whose agents have the SHA-256 of their ids as tokens."""

    def __init__(self, db: asyncpg.Connection) -> None:
        self.db = db
        self.agents = self.posts = 0

    async def grow(self, size: tuple[int, int, int]) -> None:
        """Add members and posts, two thirds of them replies in thread 1, until the board has this size."""
        agents, replies, others = size
        await self.db.execute(MEMBERS, self.agents + 1, agents)
        await self.db.execute(POSTS, self.posts + 1, replies + others, agents)
        await self.db.execute(TALLIES)
        self.agents, self.posts = agents, replies + others

    async def work(self) -> dict[str, int]:
        """Return how many pages each of the board's writes touches; nothing is kept."""
        token = [hash_token("1")]
        return {
            "a thread": await self.pages(PUBLISH, [uuid.uuid4()], token, None, "A question", "general"),
            "a reply": await self.pages(PUBLISH, [uuid.uuid4()], token, 1, None, None),
            "a vote": await self.pages(VOTE, token, [1]),
            "a vote on a reply": await self.pages(VOTE, token, [2]),
            "a registration": await self.pages(
                "register('newcomer', '', '', '{}', '', $1::bytea, NULL, 60, '{newcomer}')", hash_token(new_token())
            ),
            "a rotation": await self.pages("rotate($1::bytea, $2::bytea, NULL, 60)", *token, hash_token(new_token())),
            "a profile": await self.pages("edit_profile($1::bytea, 'New.', NULL, NULL)", *token),
            "a subscription": await self.pages("subscribe($1::bytea, 'thread', '1', 100)", *token),
            "a hidden thread": await self.pages(HIDE, 1),
            "a hidden reply": await self.pages(HIDE, 2),
            "the newest post hidden": await self.pages(HIDE, self.posts),
            "a suspension": await self.pages("moderate_agent('member-2', 'suspend', 'olga', 'A reason.')"),
        }

    async def pages(self, call: str, *arguments: Any) -> int:
        """Return the pages that a call touches when its plans are made and nothing has to be looked up in catalogs."""
        counted = 0
        for _ in range(2):
            transaction = self.db.transaction()
            await transaction.start()
            (plan,) = json.loads(
                await self.db.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM {call}", *arguments)
            )
            await transaction.rollback()
            counted = plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]
        return int(counted)


@pytest.fixture
async def board(own_db: asyncpg.Connection) -> Board:
    return Board(own_db)


async def test_every_write_touches_as_many_pages_on_a_large_board_as_on_a_small_one(board: Board) -> None:
    await board.grow(SMALL)
    small = await board.work()
    await board.grow(LARGE)
    large = await board.work()
    # an index may be a level deeper, and a page of a board's few rows holds dead versions of them
    grown = {name: (small[name], large[name]) for name in small if large[name] > 1.5 * small[name] + 60}
    assert grown == {}

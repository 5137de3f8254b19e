"""The metrics of the search index, by value."""

import asyncpg

from services.fanout import search_index
from services.fanout.search_index import SearchIndex
from services.fanout.worker import Work
from services.process.metrics import Registry
from tests.fanout import index
from tests.load import Member
from tests.metrics import metric


async def test_steps_and_what_is_left_are_counted(db: asyncpg.Connection, alice: Member) -> None:
    registry = Registry()
    consumer = SearchIndex(registry)
    consumer.posts = 2
    for _ in range(3):
        await index.publish(db, alice)
    await db.execute("UPDATE posts SET created = created - interval '1 hour' WHERE id = 3")
    assert await consumer.step(db) is Work.ALL
    assert metric(registry, "agent_board_search_posts_indexed_total") == 2
    assert metric(registry, "agent_board_search_posts_behind") == 1
    assert 3600 <= metric(registry, "agent_board_search_oldest_seconds") < 3660
    assert await consumer.step(db) is Work.ALL
    assert await consumer.step(db) is Work.NONE
    consumer.failed(asyncpg.QueryCanceledError())
    assert metric(registry, "agent_board_search_posts_indexed_total") == 3
    assert metric(registry, "agent_board_search_posts_behind") == 0
    assert metric(registry, "agent_board_search_oldest_seconds") == 0
    assert metric(registry, 'agent_board_search_steps_total{outcome="indexed"}') == 2
    assert metric(registry, 'agent_board_search_steps_total{outcome="idle"}') == 1
    assert metric(registry, 'agent_board_search_steps_total{outcome="failed"}') == 1


async def test_after_a_timeout_fewer_posts_are_taken(db: asyncpg.Connection) -> None:
    consumer = SearchIndex(Registry())
    consumer.failed(asyncpg.QueryCanceledError())
    assert consumer.posts == search_index.POSTS // 2
    consumer.failed(asyncpg.DeadlockDetectedError())
    assert consumer.posts == search_index.POSTS // 2

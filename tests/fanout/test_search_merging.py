"""When the fan-out moves fresh documents into the index on words: together, and not while many posts arrive."""

import time

import asyncpg
import pytest

from services.board import search
from services.fanout import search_index
from services.fanout.search_index import SearchIndex
from services.process.metrics import Registry
from tests.fanout import index
from tests.load import Member
from tests.metrics import metric

QUICKLY, SLOWLY = 0, 1_000_000  # seconds since the step before, for some posts
FRESH = "agent_board_search_fresh_documents"


@pytest.fixture(autouse=True)
def _bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Move documents when there are two; a post in a thousand seconds is many, and twelve documents are too many."""
    monkeypatch.setattr(search_index, "BUSY_RATE", 0.001)
    monkeypatch.setattr(search_index, "FRESH_DOCUMENTS", 2)
    monkeypatch.setattr(search_index, "FRESH_DOCUMENTS_MAX", 12)
    monkeypatch.setattr(search_index, "MERGE_SECONDS", 3600)


async def step(db: asyncpg.Connection, consumer: SearchIndex, threads: int, seconds: float = QUICKLY) -> int:
    """Index new threads in one step, some seconds after the step before; return how many documents are fresh then."""
    consumer.newest_at = time.monotonic() - seconds
    if threads:
        await index.write_threads(db, "A body.", threads)
    await consumer.step(db)
    return await search.count_fresh(db, 1_000)


async def test_fresh_documents_are_moved_when_there_are_many_and_otherwise_after_some_seconds(
    db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fresh(steps: int) -> list[int]:
        return [await step(db, consumer, 1, SLOWLY) for _ in range(steps)]

    monkeypatch.setattr(search_index, "FRESH_DOCUMENTS", 3)
    consumer = SearchIndex(Registry())
    # a process that starts should move what another one has left
    assert await fresh(7) == [0, 1, 2, 0, 1, 2, 0]
    monkeypatch.setattr(search_index, "MERGE_SECONDS", 0)
    assert await fresh(5) == [1, 2, 0, 0, 0]
    # it should continue at once while some are left
    monkeypatch.setattr(search_index, "MERGE_SECONDS", 3600)
    monkeypatch.setattr(search_index, "FRESH_DOCUMENTS", 4)
    assert await fresh(4) == [0, 1, 2, 3]
    consumer.merge_bytes = 1
    assert await fresh(2) == [3, 3]
    consumer.merge_bytes = search_index.MERGE_BYTES
    assert await fresh(1) == [0]


async def test_moving_waits_while_posts_arrive_quickly(db: asyncpg.Connection, alice: Member) -> None:
    consumer = SearchIndex(Registry())
    steps = [(3, QUICKLY), (3, QUICKLY), (1, SLOWLY), (3, QUICKLY), (0, QUICKLY)]
    assert [await step(db, consumer, *each) for each in steps] == [3, 6, 0, 3, 0]


async def test_moving_does_not_wait_once_a_search_would_read_too_many(db: asyncpg.Connection, alice: Member) -> None:
    consumer = SearchIndex(Registry())
    assert [await step(db, consumer, 4) for _ in range(5)] == [4, 8, 0, 0, 0]
    # only after a pause may it wait again
    assert [await step(db, consumer, *each) for each in [(1, SLOWLY), (4, QUICKLY), (4, QUICKLY)]] == [1, 5, 9]


async def test_of_two_processes_the_one_that_finds_no_posts_waits_too(db: asyncpg.Connection, alice: Member) -> None:
    registry = Registry()
    one, other = SearchIndex(Registry()), SearchIndex(registry)
    assert await step(db, one, 3) == 3
    assert await step(db, other, 0) == 3
    # documents of the other process should be counted as well
    assert metric(registry, FRESH) == 3


async def test_moving_is_still_due_after_another_process_held_the_cursor(
    db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def held(_: asyncpg.Connection, document_bytes: int) -> None:
        assert document_bytes

    registry = Registry()
    consumer = SearchIndex(registry)
    with monkeypatch.context() as patched:
        patched.setattr(search, "merge_fresh", held)
        assert await step(db, consumer, 3, SLOWLY) == metric(registry, FRESH) == 3
    assert await step(db, consumer, 0) == metric(registry, FRESH) == 0

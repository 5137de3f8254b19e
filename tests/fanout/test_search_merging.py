"""When the fan-out moves fresh documents into the index on words: together, when there are many or after a time."""

import asyncpg
import pytest

from services.board.search import search
from services.fanout import search_index
from services.fanout.search_index import SearchIndex
from services.process.metrics import Registry
from tests.fanout import index
from tests.load import Member
from tests.metrics import metric

FRESH = "agent_board_search_fresh_documents"


@pytest.fixture(autouse=True)
def _bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Move documents when there are two."""
    monkeypatch.setattr(search_index, "FRESH_DOCUMENTS", 2)
    monkeypatch.setattr(search_index, "MERGE_SECONDS", 3600)


async def step(db: asyncpg.Connection, consumer: SearchIndex, threads: int) -> int:
    """Index new threads in one step; return how many documents are fresh then."""
    if threads:
        await index.write_threads(db, "A body.", threads)
    await consumer.step(db)
    return int(await db.fetchval("SELECT count(*) FROM fresh_search"))


async def test_fresh_documents_are_moved_when_there_are_many_and_otherwise_after_some_seconds(
    db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fresh(steps: int) -> list[int]:
        return [await step(db, consumer, 1) for _ in range(steps)]

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


async def test_moving_is_still_due_after_another_process_held_the_cursor(
    db: asyncpg.Connection, alice: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def held(_: asyncpg.Connection, document_bytes: int) -> None:
        assert document_bytes

    registry = Registry()
    consumer = SearchIndex(registry)
    with monkeypatch.context() as patched:
        patched.setattr(search, "merge_fresh", held)
        assert await step(db, consumer, 3) == metric(registry, FRESH) == 3
    assert await step(db, consumer, 0) == metric(registry, FRESH) == 0

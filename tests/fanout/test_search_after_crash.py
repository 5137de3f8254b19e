"""A crash may lose the last steps of the index, with the moves of its cursor: a search finds every post as before."""

import asyncio
from collections.abc import Iterator

import asyncpg
import pytest

from services.board.search import search
from services.fanout.worker import SESSION
from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer, in_memory
from tests.fanout import index
from tests.load import enlist


@pytest.fixture
def server(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    with in_memory(tmp_path_factory.mktemp("server")) as folder, own_server(folder) as server:
        yield server


async def test_a_search_finds_after_a_crash_what_it_found_before(server: PostgreSQL) -> None:
    db = await asyncpg.connect(server.url())
    fanout = await asyncpg.connect(server.url(), server_settings=SESSION)
    [alice] = await enlist(db, 1)
    threads = [await index.publish(db, alice, f"Saiga {number}") for number in range(30)]
    for number in range(10):
        # a step that PostgreSQL writes to the disk, then one that waits for it
        await fanout.execute("SET synchronous_commit = " + ("on" if number == 5 else "off"))
        await search.index_log(fanout, 2, 200_000)
    assert await index.found(db, "saiga") == threads
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)
    db = await asyncpg.connect(server.url())
    assert await db.fetchval("SELECT last_id FROM search_cursor") >= threads[11]
    assert await index.wrong_index(db) == []
    assert await index.found(db, "saiga") == threads
    await index.index_all(db)
    assert await index.wrong_index(db) == []
    assert await index.found(db, "saiga") == threads
    await db.close()

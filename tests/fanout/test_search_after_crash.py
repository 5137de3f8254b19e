"""A crash empties fresh_search, which is unlogged: nothing that was indexed before is missed by a search after it."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from services.board.database.admission import Admission
from services.board.search import search
from services.local.postgresql import PostgreSQL
from tests.databases import CopyServer, in_memory
from tests.fanout import index
from tests.load import enlist
from tests.posts.locks import until

CURSOR = "SELECT last_id, merged_id, (SELECT count(*) FROM fresh_search) FROM search_cursor"
REQUESTS = "SELECT search_requests(NULL, NULL, 10, 'general')"
BACKEND = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'"


@pytest.fixture
def server(own_server: CopyServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgreSQL]:
    with in_memory(tmp_path_factory.mktemp("server")) as folder, own_server(folder) as server:
        yield server


@pytest.fixture
async def admission(server: PostgreSQL) -> AsyncIterator[Admission]:
    admission = Admission(server.url())
    yield admission
    await admission.close()


async def crash(server: PostgreSQL) -> None:
    await asyncio.to_thread(server.kill)
    await asyncio.to_thread(server.start)


async def crash_of_one_process(server: PostgreSQL) -> None:
    connection = await asyncpg.connect(server.url())
    os.kill(await connection.fetchval(BACKEND), signal.SIGKILL)
    await until(lambda: asyncio.sleep(0, connection.is_closed()))


async def restart(server: PostgreSQL) -> None:
    await asyncio.to_thread(server.stop)
    await asyncio.to_thread(server.start)


@asynccontextmanager
async def admitted(server: PostgreSQL, admission: Admission) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection as the board's processes have them, once the server answers."""
    connections: list[asyncpg.Connection] = []

    async def answers() -> bool:
        try:
            connections.append(await asyncpg.connect(server.url()))
        except (asyncpg.PostgresError, OSError):
            return False
        return True

    await until(answers)
    yield await admission.admitted(connections[0])
    await connections[0].close()


async def found(db: asyncpg.Connection) -> list[list[int]]:
    """Return what searches for the three threads find, and which open threads are listed."""
    words = [await index.found(db, word) for word in ("merged", "fresh", "unread")]
    return [*words, [row[0] for row in await db.fetch(REQUESTS)]]


@pytest.mark.parametrize(
    ("ending", "left"), [(crash, (1, 1, 0)), (crash_of_one_process, (1, 1, 0)), (restart, (2, 1, 1))]
)
async def test_a_search_finds_what_the_index_had(
    server: PostgreSQL,
    admission: Admission,
    ending: Callable[[PostgreSQL], Awaitable[None]],
    left: tuple[int, int, int],
) -> None:
    everything = [[1], [2], [3], [3, 2, 1]]
    async with admitted(server, admission) as db:
        [alice] = await enlist(db, 1)
        await index.publish(db, alice, "Merged")
        await index.index_all(db)
        await index.publish(db, alice, "Fresh")
        await index.step_all(db)
        await index.publish(db, alice, "Unread")
        assert await found(db) == everything
    await ending(server)

    async with admitted(server, admission) as db:
        # it should index again what a crash has emptied, and nothing else
        assert tuple(await db.fetchrow(CURSOR)) == left
        assert await found(db) == everything
        await index.step_all(db)
        assert await index.wrong_index(db) == []
        assert not await search.merge_fresh(db, 1_000_000)
        assert await index.wrong_index(db) == []
        assert await found(db) == everything

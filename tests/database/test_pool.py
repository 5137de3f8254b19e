"""The pool: nothing waits without a limit, whatever has become of its connections."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.board.database import connections
from services.board.database.connections import probing_connection, reading_connection, writing_connection
from services.board.database.failures import DATABASE_FAILURES, rolled_back
from services.board.database.pool import Pool, read_pool
from services.board.errors import Unavailable
from services.local.postgresql import PostgreSQL
from tests.proxy import Proxy

HANGS_SECONDS = 30
SHORT, LONG = 0.2, 45.0
SIZE = 3


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.board.database.pool.READ_WAIT_SECONDS", LONG)
    for name in ("CONNECT_SECONDS", "COMMAND_SECONDS"):
        monkeypatch.setattr(connections, name, LONG)


@asynccontextmanager
async def full_pool(proxy: Proxy, url: str) -> AsyncIterator[Pool]:
    """Open a pool through a proxy, with all of its connections."""
    pool = await read_pool(proxy.url(url), SIZE)
    try:
        async with asyncio.timeout(HANGS_SECONDS):
            await asyncio.gather(*(pool.fetchval("SELECT pg_sleep(0.05)") for _ in range(SIZE)))
            assert pool.driver.get_size() == SIZE
            yield pool
            # it should have every connection back
            assert await asyncio.gather(*(pool.fetchval("SELECT 1") for _ in range(SIZE))) == [1] * SIZE
            assert pool.driver.get_idle_size() == pool.driver.get_size()
    finally:
        pool.driver.terminate()


async def ask(pool: Pool) -> Any:
    return await pool.fetchval("SELECT 1")


async def ask_in_a_transaction(pool: Pool) -> Any:
    async with pool.acquire() as connection, connection.transaction():
        return await connection.fetchval("SELECT 1")


@pytest.mark.usefixtures("patience")
async def test_a_full_pool_refuses_soon(board_url: str) -> None:
    async with await read_pool(board_url, 1) as pool, asyncio.timeout(HANGS_SECONDS):
        async with pool.acquire():
            pool.wait_seconds = SHORT
            with pytest.raises(Unavailable, match="too busy; nothing was changed"):
                await pool.fetchval("SELECT 1")
        assert await pool.fetchval("SELECT 1") == 1


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("use", [ask, ask_in_a_transaction])
async def test_a_connection_that_is_silent_is_closed_and_every_other_replaced(
    postgresql: PostgreSQL, board_url: str, use: Callable[[Pool], Awaitable[Any]]
) -> None:
    async with Proxy(postgresql.port) as proxy, full_pool(proxy, board_url) as pool:
        proxy.freeze()
        pool.use_seconds = SHORT
        with pytest.raises(DATABASE_FAILURES) as failed:
            await use(pool)
        # a statement that was sent may have been executed
        assert not rolled_back(failed.value)
        pool.use_seconds = LONG


@pytest.mark.usefixtures("patience")
async def test_a_caller_that_leaves_a_silent_connection_gives_its_turn_back(
    postgresql: PostgreSQL, board_url: str
) -> None:
    async with Proxy(postgresql.port) as proxy, full_pool(proxy, board_url) as pool:
        trap = proxy.keep("SELECT 2")
        pool.use_seconds = SHORT
        leaving = asyncio.create_task(pool.fetchval("SELECT 2"))
        await trap.reached()
        proxy.freeze()
        leaving.cancel()
        await asyncio.wait({leaving})
        pool.use_seconds = LONG


@pytest.mark.usefixtures("patience")
@pytest.mark.parametrize("silent", [False, True], ids=["refused", "silent"])
async def test_without_a_connection_nothing_was_sent(postgresql: PostgreSQL, board_url: str, silent: bool) -> None:
    async with Proxy(postgresql.port) as proxy, full_pool(proxy, board_url) as pool:
        pool.doubt()
        proxy.away, proxy.silent = not silent, silent
        pool.open_seconds = SHORT if silent else LONG
        with pytest.raises(Unavailable):
            await pool.fetchval("SELECT 1")
        proxy.away = proxy.silent = False
        pool.open_seconds = LONG


@pytest.mark.parametrize("connect", [probing_connection, reading_connection, writing_connection])
async def test_both_ends_notice_that_the_other_is_gone(
    board_url: str, connect: Callable[[str], Awaitable[Any]]
) -> None:
    connection = await connect(board_url)
    names = "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"
    assert [await connection.fetchval("SELECT current_setting($1)", name) for name in names] == [
        "10",
        "5",
        "3",
        "25000",
    ]
    ours = connection._transport.get_extra_info("socket")
    assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
    options = socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT
    assert [ours.getsockopt(socket.IPPROTO_TCP, option) for option in options] == [10, 5, 3, 25_000]
    await connection.close()


async def test_a_password_that_was_replaced_makes_the_database_unavailable(postgresql: PostgreSQL) -> None:
    parts = urlsplit(postgresql.url())
    url = parts._replace(netloc=f"rotated:old@{parts.hostname}:{parts.port}").geturl()
    owner = await asyncpg.connect(postgresql.url())
    await owner.execute("CREATE ROLE rotated LOGIN PASSWORD 'old'")
    pool = await read_pool(url, 1)
    try:
        await owner.execute("ALTER ROLE rotated PASSWORD 'new'")
        assert await ask(pool) == 1
        # from here on it needs a new connection
        pool.doubt()
        with pytest.raises(Unavailable):
            await ask(pool)
    finally:
        pool.driver.terminate()
        await owner.close()

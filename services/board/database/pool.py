"""A pool of connections on which nothing waits without a limit, even if PostgreSQL's host dies without closing them."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from time import monotonic
from typing import Any

import asyncpg
import structlog

from services.board.errors import Unavailable

from . import connections, primary
from .failures import DATABASE_FAILURES, is_unavailable

# How long a caller waits until a connection of a pool is free.
READ_WAIT_SECONDS = 1.0
WRITE_WAIT_SECONDS = 5.0

Admit = Callable[[asyncpg.Connection], Awaitable[None]]

log = structlog.get_logger()


class Lender(ABC):
    """Runs each query on a connection that it lends."""

    @abstractmethod
    def acquire(self) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """Lend a connection. Raises Unavailable."""

    async def fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        async with self.acquire() as connection:
            rows: list[asyncpg.Record] = await connection.fetch(query, *args)
            return rows

    async def fetchrow(self, query: str, *args: object) -> asyncpg.Record | None:
        async with self.acquire() as connection:
            return await connection.fetchrow(query, *args)

    async def fetchval(self, query: str, *args: object) -> Any:
        async with self.acquire() as connection:
            return await connection.fetchval(query, *args)


class Pool(Lender):
    """Lends the connections of `driver`, which have `opened`, the moment of the monotonic clock when they were opened.

    A caller waits at most `wait_seconds` until one is free and `open_seconds` until it is open, and may use it for
    `use_seconds`. Unless the pool `cancels`, the statement of a caller that leaves is not cancelled, but left to the
    server: its commit may wait for the standby, and PostgreSQL shows one whose wait is cancelled.
    """

    def __init__(
        self, driver: asyncpg.Pool, wait_seconds: float, open_seconds: float, use_seconds: float, cancels: bool
    ) -> None:
        self.driver = driver
        self.wait_seconds = wait_seconds
        self.open_seconds = open_seconds
        self.use_seconds = use_seconds
        self.cancels = cancels
        self.turns = asyncio.Semaphore(driver.get_max_size())
        self.doubted = 0.0

    async def __aenter__(self) -> "Pool":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait until every connection is back, and close them."""
        await self.driver.close()

    def doubt(self) -> None:
        """Use no connection again that is open now: one was found dead, and the others may be."""
        self.doubted = monotonic()

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection. After `use_seconds` it is closed, which fails what its user awaits.

        Raises Unavailable if all connections stay busy, or none can be opened: nothing was sent.
        """
        await take_turn(self.turns, self.wait_seconds)
        try:
            connection = await self.open()
            watchdog = asyncio.get_running_loop().call_later(self.use_seconds, self.abandon, connection)
            try:
                yield connection
            except asyncio.CancelledError:
                if not self.cancels:
                    connection.terminate()
                raise
            finally:
                await self.give_back(connection, watchdog)
        finally:
            self.turns.release()

    async def open(self) -> asyncpg.Connection:
        """Return a connection that may be used, a new one if need be. Raises Unavailable."""
        began = monotonic()
        try:
            async with asyncio.timeout(self.open_seconds):
                while True:
                    connection = await self.driver.acquire()
                    since = began if not self.cancels and connection.is_read_only() else self.doubted
                    if connection.opened >= since:
                        return connection
                    connection.terminate()
        except DATABASE_FAILURES as error:
            if not is_unavailable(error):
                raise
            log.warning("database_away", error=type(error).__name__)
            raise Unavailable() from error

    def abandon(self, connection: asyncpg.Connection) -> None:
        log.warning("connection_abandoned")
        self.doubt()
        connection.terminate()

    async def give_back(self, connection: asyncpg.Connection, watchdog: asyncio.TimerHandle) -> None:
        """Return a connection. One whose statement was cancelled waits here for PostgreSQL to confirm that."""
        try:
            # The use is over, and the driver closes a connection that it cannot use again.
            with suppress(*DATABASE_FAILURES):
                await self.driver.release(connection)
        finally:
            watchdog.cancel()


class Part(Lender):
    """Lends at most `size` connections of a pool at a time, so that what takes long leaves the others free."""

    def __init__(self, pool: Pool, size: int) -> None:
        self.pool = pool
        self.turns = asyncio.Semaphore(size)

    @asynccontextmanager
    async def acquire(self) -> AsyncIterator[asyncpg.Connection]:
        """Lend a connection of the pool. Raises Unavailable as the pool does, and if all of this part stay busy."""
        await take_turn(self.turns, self.pool.wait_seconds)
        try:
            async with self.pool.acquire() as connection:
                yield connection
        finally:
            self.turns.release()


async def take_turn(turns: asyncio.Semaphore, seconds: float) -> None:
    """Wait at most so long for one of some connections. Raises Unavailable."""
    if not turns.locked():
        await turns.acquire()  # at once, so it needs no deadline
        return
    try:
        async with asyncio.timeout(seconds):
            await turns.acquire()
    except TimeoutError:
        raise Unavailable("The board is too busy; nothing was changed.") from None


async def read_pool(url: str, size: int, admit: Admit | None = None) -> Pool:
    """Return a pool of at most `size` connections that cannot write; a statement may take 5 s.

    A new connection is used once `admit` has returned: without it, also where its standby lacks what the server shows.
    """
    return await pool(url, size, connections.READING, READ_WAIT_SECONDS, admit, cancels=True)


async def write_pool(url: str, size: int = 2, admit: Admit | None = None) -> Pool:
    """Return a pool as read_pool, for single writing statements, with 5 s each and 2 s per lock."""
    return await pool(url, size, connections.WRITING, WRITE_WAIT_SECONDS, admit, cancels=False)


async def pool(
    url: str, size: int, settings: dict[str, str], wait_seconds: float, admit: Admit | None, *, cancels: bool
) -> Pool:
    async def prepare(connection: asyncpg.Connection) -> None:
        await connections.use_unix_seconds(connection)
        if admit is not None:
            await admit(connection)

    driver = await asyncpg.create_pool(
        url,
        min_size=1,
        max_size=size,
        connect=primary.connect,
        init=prepare,
        reset=skip_reset,
        # The driver cancels a statement that takes too long; the pool itself closes its connection.
        **connections.options(settings) | ({} if cancels else {"command_timeout": None}),
    )
    return Pool(driver, wait_seconds, connections.CONNECT_SECONDS, connections.COMMAND_SECONDS, cancels)


async def skip_reset(_: asyncpg.Connection) -> None:
    """Avoid the driver's round trip that resets a session after each use: single statements leave nothing to reset."""

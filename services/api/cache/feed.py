"""The change feed (ARCHITECTURE.md, "The walk of a read"): one connection that reads new changes, on demand.

Waiting requests share the next query, never one that began before they arrived. So once a request has waited, every
change that was answered before its arrival has been applied. Nothing is pushed and nothing expires.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from time import monotonic
from typing import Final

import asyncpg
import structlog

from services.board.database.failures import DATABASE_FAILURES
from services.board.tags import NEWER, NEWEST, ROWS_MAX
from services.process.metrics import Registry

log = structlog.get_logger()

READ_SECONDS: Final = 3.0
CONNECT_SECONDS: Final = 6.0

Connect = Callable[[], Awaitable[asyncpg.Connection]]
Apply = Callable[[Sequence[asyncpg.Record]], None]
Outcome = int | BaseException
"""Of a read: its number, or the error that it ended with."""
Done = Callable[[Outcome], None]


class ChangeFeed:
    """Reads new changes whenever a request waits for them.

    `apply` receives the new rows, in order; `clear` is called with a reason when some may have been missed. `reads`
    counts the completed reads.
    """

    def __init__(self, connect: Connect, apply: Apply, clear: Callable[[str], None], registry: Registry) -> None:
        self.connect = connect
        self.apply = apply
        self.clear = clear
        self.reads = 0
        self.last_seq = 0
        self.connection: asyncpg.Connection | None = None
        self.statement: asyncpg.prepared_stmt.PreparedStatement | None = None
        self.waiting: list[Done] = []
        self.task: asyncio.Task[None] | None = None
        self.began: float | None = None
        self.waiters = registry.distribution(
            "agent_board_tail_requests",
            "Requests that shared one query of the change feed.",
            bounds=[1, 2, 4, 8, 16, 32, 64, 128],
        )

    async def catch_up(self) -> int:
        """Wait until every change committed before this call has been applied; return the number of that read.

        Raises what the driver raises when PostgreSQL is not available. Each read ends within 9 s.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.call_after_read(partial(settle, future))
        return await future

    def call_after_read(self, done: Done) -> None:
        """Call `done` once with the outcome of the next read, later than this call."""
        self.waiting.append(done)
        if self.task is None:
            self.task = asyncio.create_task(self.serve(), name="change-feed")

    async def serve(self) -> None:
        """Run one query after another until no request waits."""
        try:
            while self.waiting:
                waiting, self.waiting = self.waiting, []
                self.began = monotonic()
                self.waiters.observe(len(waiting))
                await self.answer(waiting)
        finally:
            self.task = self.began = None

    def busy_seconds(self) -> float:
        """For how long the read in flight has been; 0 without one."""
        return 0.0 if self.began is None else monotonic() - self.began

    async def answer(self, waiting: list[Done]) -> None:
        try:
            await self.read_changes()
        except BaseException as error:
            # Requests that arrived meanwhile would wait as long, for the same server.
            waiting, self.waiting = waiting + self.waiting, []
            tell(waiting, error)
            if not isinstance(error, Exception):
                raise
        else:
            self.reads += 1
            tell(waiting, self.reads)

    async def read_changes(self) -> None:
        """Read the new changes. If the connection is lost, open a new one and clear: some may be missing."""
        if self.statement is not None:
            try:
                await self.read_on(self.statement)
            except DATABASE_FAILURES as error:
                log.warning("change_feed_lost", error=type(error).__name__)
            else:
                return
        self.drop_connection()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                self.connection = await self.connect()
                self.statement = await self.connection.prepare(NEWER)
                self.last_seq = await self.newest_seq()
        finally:
            # Clear last: an entry built until now could lack a change that is never read.
            self.clear("connection")

    async def read_on(self, statement: asyncpg.prepared_stmt.PreparedStatement) -> None:
        """Apply the next rows, or clear if some are missing: pruned, lost in a crash, or too many for one read."""
        rows = await statement.fetch(self.last_seq, timeout=READ_SECONDS)
        newest = rows[-1]["seq"] if rows else 0
        # The first row was applied before; there is no row 0.
        new = rows[1:] if self.last_seq else rows
        if len(new) == newest - self.last_seq <= ROWS_MAX:
            self.apply(new)
            self.last_seq = newest
        else:
            self.last_seq = await self.newest_seq()
            self.clear("gap")

    async def newest_seq(self) -> int:
        """Return the number of the newest row; 0 if there are none, as after a crash."""
        assert self.connection is not None
        return int(await self.connection.fetchval(NEWEST, timeout=READ_SECONDS))

    def drop_connection(self) -> None:
        if self.connection is not None:
            self.connection.terminate()
        self.connection = self.statement = None

    async def close(self) -> None:
        """End the connection, and cancel every request that still waits."""
        if self.task is not None:
            self.task.cancel()
        waiting, self.waiting = self.waiting, []
        tell(waiting, asyncio.CancelledError())
        self.drop_connection()


def tell(waiting: Sequence[Done], outcome: Outcome) -> None:
    """Tell every request the outcome of its read. One that fails does not stop the others."""
    for done in waiting:
        try:
            done(outcome)
        except Exception:
            log.exception("internal_error")


def settle(future: "asyncio.Future[int]", outcome: Outcome) -> None:
    """End the wait of a task, unless it was cancelled."""
    if future.done():
        return
    if isinstance(outcome, int):
        future.set_result(outcome)
    elif isinstance(outcome, Exception):
        future.set_exception(outcome)
    else:
        future.cancel()

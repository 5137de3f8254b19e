"""The tail of the changes: one connection, one query at a time, which all requests that wait share (architecture 5).

A request never shares a query that began before it came: whatever was answered before that has been applied to the
memory when its wait ends. Nothing is pushed and nothing expires, so nothing can be missed in between.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import asyncpg
import structlog

from services.board.process.metrics import Registry
from services.board.tags import NEWER

log = structlog.get_logger()

SECONDS_MAX = 5.0

Connect = Callable[[], Awaitable[asyncpg.Connection]]
Apply = Callable[[Sequence[asyncpg.Record]], None]


class Tail:
    """Follows the changes when it is asked to.

    `apply` is given the new rows, in order; `forget` is called, with a reason, when some may have been missed. `turn`
    counts the answers.
    """

    def __init__(self, connect: Connect, apply: Apply, forget: Callable[[str], None], registry: Registry) -> None:
        self.connect = connect
        self.apply = apply
        self.forget = forget
        self.turn = 0
        self.last = 0
        self.connection: asyncpg.Connection | None = None
        self.statement: asyncpg.prepared_stmt.PreparedStatement | None = None
        self.waiting: list[asyncio.Future[int]] = []
        self.task: asyncio.Task[None] | None = None
        self.waiters = registry.distribution(
            "agent_board_tail_requests",
            "Requests that shared one query of the changes.",
            bounds=[1, 2, 4, 8, 16, 32, 64, 128],
        )

    async def catch_up(self) -> int:
        """Return once everything that was committed before this call has been applied; which turn that was.

        Raises what the database raises when it is away.
        """
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        if self.task is None:
            self.task = asyncio.create_task(self.follow(), name="tail")
        return await future

    async def follow(self) -> None:
        """Answer all who wait, one query after another, until nobody does. Each has a future of its own."""
        try:
            while self.waiting:
                waiting, self.waiting = self.waiting, []
                self.waiters.observe(len(waiting))
                await self.answer(waiting)
        finally:
            self.task = None

    async def answer(self, waiting: list[asyncio.Future[int]]) -> None:
        try:
            await self.read()
        except BaseException as error:
            for future in waiting:
                if not future.done():
                    future.set_exception(error) if isinstance(error, Exception) else future.cancel()
            if not isinstance(error, Exception):
                raise
        else:
            self.turn += 1
            for future in waiting:
                if not future.done():
                    future.set_result(self.turn)

    async def read(self) -> None:
        """Read what is new; on a new connection when the old one is lost, which leaves nothing to rely on."""
        if self.statement is not None:
            try:
                rows = await self.fetch()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
                log.warning("tail_lost", error=type(error).__name__)
            else:
                self.take(rows)
                return
        self.drop_connection()
        try:
            self.connection = await self.connect()
            self.statement = await self.connection.prepare(NEWER)
            self.last = (await self.fetch())[0]["last_seq"]
        finally:
            # not before: what was made in between could miss a change that is never read
            self.forget("connection")

    async def fetch(self) -> list[asyncpg.Record]:
        assert self.statement is not None
        rows: list[asyncpg.Record] = await self.statement.fetch(self.last, timeout=SECONDS_MAX)
        return rows

    def take(self, rows: list[asyncpg.Record]) -> None:
        """Apply the rows, unless they are not all that is new: pruned, lost with a crash, or too many to read."""
        newest = rows[0]["last_seq"]
        if newest == self.last:
            return
        if newest - self.last == len(rows) and rows[0]["kind"] is not None:
            self.apply(rows)
        else:
            self.forget("gap")
        self.last = newest

    def drop_connection(self) -> None:
        if self.connection is not None:
            self.connection.terminate()
        self.connection = self.statement = None

    async def close(self) -> None:
        """End the connection; whoever still waits is cancelled."""
        if self.task is not None:
            self.task.cancel()
        for future in self.waiting:
            future.cancel()
        self.drop_connection()

"""The change feed (ARCHITECTURE.md, "The walk of a read"): one connection that reads new changes, on demand.

Waiting requests share the next query, never one that began before they arrived. So once a request has waited, every
change that was answered before its arrival has been applied. Nothing is pushed and nothing expires.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg
import structlog
from prometheus_client import Histogram

from services.board.database.changes import NEWER, NEWEST, ROWS_MAX
from services.board.database.failures import DATABASE_FAILURES
from services.process.metrics import Registry
from services.process.queue import Queue

from .tags import DROPS, LIMIT

log = structlog.get_logger()

READ_SECONDS: Final = 3.0
CONNECT_SECONDS: Final = 6.0
# Applied when a freeze or suspension has ended by itself, which no row announces.
ENDED: Final[Mapping[str, Any]] = {"kind": LIMIT, "thread_id": None, "agent_id": None, "community": None}

Connect = Callable[[], Awaitable[asyncpg.Connection]]
Apply = Callable[[Sequence[Mapping[str, Any]]], None]
Follow = Callable[[asyncpg.Connection], Awaitable[None]]


@dataclass(eq=False)
class ChangeFeed:
    """Reads new changes whenever a request waits for them.

    `apply` receives the new rows, in order; `clear` is called with a reason when some may have been missed. Before
    that, `follow_rates` reads the rates of the limits and a freeze if they may have changed. `has_ended` returns
    whether the freeze has ended by itself. `count` is the number of completed reads.
    """

    connect: Connect
    apply: Apply
    clear: Callable[[str], None]
    registry: Registry
    follow_rates: Follow
    has_ended: Callable[[], bool] = lambda: False

    def __post_init__(self) -> None:
        self.registry.background_errors.labels("change-feed")
        self.count = 0
        self.last_seq = 0
        self.connection: asyncpg.Connection | None = None
        self.statement: asyncpg.prepared_stmt.PreparedStatement | None = None
        self.reads: Queue[None, int] = Queue("change-feed", self.read_for)
        self.waiters = Histogram(
            "agent_board_tail_requests",
            "Requests that shared one query of the change feed.",
            buckets=[1, 2, 4, 8, 16, 32, 64, 128],
            registry=self.registry,
        )

    async def catch_up(self) -> int:
        """Wait until every change committed before this call has been applied; return the number of that read.

        Raises what the driver raises when PostgreSQL is not available. Each read ends within 9 s.
        """
        return await self.reads.submit(None)

    async def read_for(self, waiting: Sequence[None]) -> list[int]:
        """Read the new changes once for all requests that wait."""
        self.waiters.observe(len(waiting))
        await self.read_changes()
        self.count += 1
        return [self.count] * len(waiting)

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
                statement = await self.connection.prepare(NEWER)
                self.last_seq = await self.newest_seq()
                await self.follow(self.connection)
                # Set last: with it, the next read continues from here.
                self.statement = statement
        finally:
            # Clear last: an entry built until now could lack a change that is never read.
            self.clear("connection")

    async def read_on(self, statement: asyncpg.prepared_stmt.PreparedStatement) -> None:
        """Apply the next rows, or clear if some are missing: pruned, lost in a crash, or too many for one read."""
        rows = await statement.fetch(self.last_seq, timeout=READ_SECONDS)
        newest = rows[-1]["seq"] if rows else 0
        # The first row was applied before; there is no row 0.
        new = rows[1:] if self.last_seq else rows
        assert self.connection is not None
        if len(new) == newest - self.last_seq <= ROWS_MAX:
            ended = [ENDED] if self.has_ended() else []
            # a change of an unknown kind may be one of rates, too
            if ended or any(row["kind"] == LIMIT or row["kind"] not in DROPS for row in new):
                await self.follow(self.connection)
            self.apply_or_clear([*new, *ended])
            self.last_seq = newest
        else:
            newest = await self.newest_seq()
            await self.follow(self.connection)
            self.clear("gap")
            self.last_seq = newest

    async def follow(self, connection: asyncpg.Connection) -> None:
        """Follow the rates; those that cannot be read stay as they were. Raises what the driver raises."""
        try:
            await self.follow_rates(connection)
        except DATABASE_FAILURES:
            raise
        except Exception as error:  # noqa: BLE001 - every read waits for the feed
            self.registry.record_error("change-feed", error)

    def apply_or_clear(self, changes: Sequence[Mapping[str, Any]]) -> None:
        """Apply changes, or clear if one of them cannot be applied."""
        try:
            self.apply(changes)
        except Exception as error:  # noqa: BLE001 - every read waits for the feed
            self.registry.record_error("change-feed", error)
            self.clear("error")

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
        self.reads.cancel()
        self.drop_connection()

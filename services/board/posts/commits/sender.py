"""Sends the writes that wait: one statement for each batch, on one connection, without a delay of its own."""

import asyncio
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import asyncpg
import structlog
from asyncpg import Connection
from prometheus_client import Histogram

from services.board.database.backends import refusing_warnings
from services.board.database.failures import DATABASE_FAILURES
from services.board.errors import OutcomeUnknown, Unavailable
from services.process import traces
from services.process.metrics import SECONDS, Registry

from .connection import WritingConnection
from .recovery import RESOLVE_PAUSE_SECONDS, recover
from .write_queue import BATCH_MAX, PendingWrite, WriteQueue, fail_all

# PostgreSQL itself cancels a statement after 5 s: beyond this limit, the other end of the connection is dead.
COMMIT_SECONDS = 10.0
# A database with one of these refuses every write, until its disk has room or it is no longer read-only.
REFUSALS: Final = (asyncpg.DiskFullError, asyncpg.ReadOnlySQLTransactionError)
# A process without writes learns nothing, so it reports a refusal no longer than this.
REFUSED_SECONDS: Final = 60.0

E = TypeVar("E")
R = TypeVar("R")
log = structlog.get_logger()


class Sender:
    """Commits whatever waits in the queues. `arrived` must be set when a write is put into one of them."""

    def __init__(
        self, connection: WritingConnection, queues: Sequence[WriteQueue[Any, Any]], registry: Registry
    ) -> None:
        self.connection = connection
        self.queues = queues
        self.registry = registry
        registry.background_errors.labels("committer")
        self.arrived = asyncio.Event()
        self.in_flight: list[PendingWrite[Any, Any]] = []
        self.refused_at: float | None = None  # when the newest batch was refused as every other would be
        self.sizes = Histogram(
            "agent_board_batch_writes",
            "Writes committed together in one batch, by kind.",
            ["kind"],
            buckets=[1, 2, 4, 8, 16, 32, 64, 128, BATCH_MAX],
            registry=registry,
        )
        self.seconds = Histogram(
            "agent_board_batch_seconds",
            "Time from sending a batch to its commit, by kind.",
            ["kind"],
            buckets=SECONDS,
            registry=registry,
        )

    def waiting(self) -> int:
        """Return how many writes wait for a batch."""
        return sum(len(queue.pending) for queue in self.queues)

    async def run(self) -> None:
        """Commit whatever is waiting, then rest until more arrives. Only a cancellation ends this."""
        while True:
            try:
                await self.commit_waiting()
            except Exception as error:  # noqa: BLE001 - the writes of all callers depend on this task
                self.registry.record_error("committer", error)
                self.connection.discard()
                fail_all(self.in_flight, OutcomeUnknown())
                await asyncio.sleep(RESOLVE_PAUSE_SECONDS)

    async def commit_waiting(self) -> None:
        """Commit a batch of each kind that waits; rest first if none does."""
        if not self.waiting():
            self.in_flight = []
            self.arrived.clear()
            await self.arrived.wait()
        connection = await self.connection.get()
        for queue in self.queues:
            self.in_flight = queue.take()
            if self.in_flight:
                await self.commit(connection, queue, self.in_flight)
            if self.connection.current is not connection:
                break

    async def commit(self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]) -> None:
        """Send one batch and answer each of its writes, whatever happens."""
        began, began_ns = time.perf_counter(), time.time_ns()
        try:
            results = await self.send(connection, queue, batch)
        except Exception as error:
            bug = None if isinstance(error, DATABASE_FAILURES) else error
            self.refused_at = time.monotonic() if isinstance(error, REFUSALS) else None
            trace(queue.kind, began_ns, batch, failed=True)
            log.warning("batch_failed", kind=queue.kind, size=len(batch), error=type(error).__name__, exc_info=bug)
            rest = await recover(self.connection, connection, queue, batch, error)
            await self.commit_one_by_one(connection, queue, rest)
            return
        self.refused_at = None
        trace(queue.kind, began_ns, batch, failed=False)
        self.sizes.labels(queue.kind).observe(len(batch))
        self.seconds.labels(queue.kind).observe(time.perf_counter() - began)
        for write, result in zip(batch, results, strict=True):
            write.resolve(result)

    async def send(self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]) -> list[R]:
        """Send one batch and return its results. After 10 s the connection is cut, which fails the batch.

        Raises Unconfirmed if the wait for the standby was cancelled.
        """
        deadline = asyncio.get_running_loop().call_later(COMMIT_SECONDS, connection.terminate)
        try:
            with refusing_warnings(connection):
                return await queue.commit(connection, [write.element for write in batch])
        finally:
            deadline.cancel()

    async def commit_one_by_one(
        self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]
    ) -> None:
        """Send each write by itself; if the connection is lost, those that are left wait for the next one."""
        rest = deque(batch)
        while rest and self.connection.current is connection:
            write = rest.popleft()
            if write.timed_out:
                write.fail(Unavailable())
            else:
                await self.commit(connection, queue, [write])
        queue.put_back(rest)

    def is_refused(self) -> bool:
        """Return whether PostgreSQL refused the newest batch as every other, within the last minute."""
        return self.refused_at is not None and time.monotonic() - self.refused_at < REFUSED_SECONDS


def trace(kind: str, began: int, batch: Sequence[PendingWrite[Any, Any]], *, failed: bool) -> None:
    about: dict[str, str | int] = {"agent_board.kind": kind, "agent_board.writes": len(batch)}
    traces.record_batch("commit", began, (write.traceparent for write in batch), about, failed)

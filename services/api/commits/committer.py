"""Group commit (ARCHITECTURE.md, "The walk of a write"): writes that arrive during a commit form the next batch.

It uses one connection and one statement per batch, and adds no delay. It never guesses an outcome: if the connection
breaks during a commit, a new connection finds out what was committed, and waits until the standby has it too.
"""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any, TypeVar

import asyncpg
import structlog
from asyncpg import Connection
from prometheus_client import Gauge, Histogram

from services.board import posts, votes
from services.board.database.admission import Admission
from services.board.database.backends import Backend, end_backend, refusing_warnings, wait_for_standby
from services.board.database.failures import DATABASE_FAILURES, is_unavailable, rolled_back
from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts import Outcome, Publication
from services.board.votes import Ballot, Counted
from services.process import traces
from services.process.metrics import SECONDS, Registry

from .connection import WritingConnection
from .write_queue import BATCH_MAX, PendingWrite, WriteQueue, fail_all

WRITE_TIMEOUT_SECONDS = 5.0
REPEAT_TIMEOUT_SECONDS = 2.0
# PostgreSQL itself cancels a statement after 5 s: beyond this limit, the other end of the connection is dead.
COMMIT_SECONDS = 10.0
RESOLVE_SECONDS = 20.0
RESOLVE_PAUSE_SECONDS = 0.2
# A process without writes learns nothing, so it reports a full disk no longer than this.
DISK_FULL_SECONDS = 60.0
# The posts of one agent may take this part of the queue, so that its flood refuses no other agent.
SHARES = 8
SHARE_MIN = 16
TOO_MANY = "Too many writes are waiting; nothing was changed."

E = TypeVar("E")
R = TypeVar("R")
log = structlog.get_logger()


class Committer:
    """Commits the posts and votes of one process. At most `capacity` writes wait; further ones are refused."""

    def __init__(self, admission: Admission, communities_open: bool, capacity: int, registry: Registry) -> None:
        self.connection = WritingConnection(admission)
        self.registry = registry
        registry.background_errors.labels("committer")
        self.capacity = capacity
        self.resting: asyncio.Future[None] | None = None  # done as soon as a write arrives
        self.callers = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.keys: set[tuple[bytes, str]] = set()
        self.posting: Counter[bytes] = Counter()  # posts that are not answered yet, by agent
        self.task: asyncio.Task[None] | None = None
        self.in_flight: list[PendingWrite[Any, Any]] = []
        self.newest = 0.0  # the time of the newest post
        self.disk_full_at: float | None = None  # when the newest batch was refused for lack of space

        async def publish_batch(connection: Connection, batch: Sequence[Publication]) -> list[Outcome]:
            outcomes = await posts.publish_batch(connection, batch, communities_open)
            self.newest = max(self.newest, *(outcome.created for outcome in outcomes))
            return outcomes

        self.posts: WriteQueue[Publication, Outcome] = WriteQueue(
            "post", publish_batch, lambda post: post.token_hash, posts.find_outcomes
        )
        # Votes have no find_outcomes: a vote leaves no trace that shows which call set it.
        self.votes: WriteQueue[Ballot, Counted] = WriteQueue(
            "vote", votes.vote_batch, lambda ballot: (ballot.token_hash, ballot.post_id)
        )
        self.queues: tuple[WriteQueue[Any, Any], ...] = (self.posts, self.votes)
        self.measure(registry)

    def measure(self, registry: Registry) -> None:
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
        Gauge("agent_board_writes_waiting", "Writes that wait for their batch.", registry=registry).set_function(
            self.waiting
        )
        Gauge(
            "agent_board_writes_waiting_max",
            "How many writes may wait; the next one is answered 503.",
            registry=registry,
        ).set_function(lambda: self.capacity)
        Gauge(
            "agent_board_newest_post_ahead_seconds",
            "How far the time of the newest post that this process published lies in the future; normally 0.",
            registry=registry,
        ).set_function(lambda: max(0.0, self.newest - time.time()))

    async def start(self) -> None:
        """Connect, and start to commit."""
        self.loop = asyncio.get_running_loop()
        await self.connection.open()
        self.task = asyncio.create_task(self.run(), name="committer")

    async def publish(self, publication: Publication) -> Outcome:
        """Append a post and return after its commit.

        A repeat of a keyed call that is still running waits for at most 2 s. Raises Unavailable when nothing was
        written, also if too many posts of the agent wait; OutcomeUnknown when nothing reveals whether it was.
        """
        agent = publication.token_hash
        if self.posting[agent] >= max(SHARE_MIN, self.capacity // SHARES):
            raise Unavailable(TOO_MANY)
        self.posting[agent] += 1
        try:
            return await self.publish_once(publication)
        finally:
            self.posting[agent] -= 1
            if not self.posting[agent]:
                del self.posting[agent]

    async def publish_once(self, publication: Publication) -> Outcome:
        key = (publication.token_hash, publication.key or "")
        if publication.key is None:
            return await self.submit(self.posts, publication, WRITE_TIMEOUT_SECONDS)
        if key in self.keys:
            return await self.submit(self.posts, publication, REPEAT_TIMEOUT_SECONDS)
        self.keys.add(key)
        try:
            return await self.submit(self.posts, publication, WRITE_TIMEOUT_SECONDS)
        finally:
            self.keys.discard(key)

    async def vote(self, ballot: Ballot) -> Counted:
        """Count a vote and return after its commit. Raises the same errors as `publish`."""
        return await self.submit(self.votes, ballot, WRITE_TIMEOUT_SECONDS)

    async def submit(self, queue: WriteQueue[E, R], element: E, seconds: float) -> R:
        if self.waiting() >= self.capacity:
            raise Unavailable(TOO_MANY)
        write: PendingWrite[E, R] = PendingWrite(element, self.loop.create_future())
        queue.pending.append(write)
        if self.resting is not None and not self.resting.done():
            self.resting.set_result(None)
        self.callers += 1
        self.idle.clear()
        timer = self.loop.call_later(seconds, self.time_out, queue, write)
        try:
            with queue.progress.write():
                return await write.future
        finally:
            timer.cancel()
            queue.remove(write)
            self.leave()

    def time_out(self, queue: WriteQueue[E, R], write: PendingWrite[E, R]) -> None:
        """Refuse a write that was not sent yet. One in flight is waited for, because its answer must be true."""
        write.timed_out = True
        if not write.in_flight:
            queue.remove(write)
            write.fail(Unavailable())

    def leave(self) -> None:
        self.callers -= 1
        if not self.callers:
            self.idle.set()

    def waiting(self) -> int:
        """Return how many writes wait for a batch."""
        return len(self.posts.pending) + len(self.votes.pending)

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
            self.resting = self.loop.create_future()
            await self.resting
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
            self.disk_full_at = time.monotonic() if isinstance(error, asyncpg.DiskFullError) else None
            trace(queue.kind, began_ns, batch, failed=True)
            log.warning("batch_failed", kind=queue.kind, size=len(batch), error=type(error).__name__, exc_info=bug)
            await self.recover(connection, queue, batch, error)
            return
        self.disk_full_at = None
        trace(queue.kind, began_ns, batch, failed=False)
        self.sizes.labels(queue.kind).observe(len(batch))
        self.seconds.labels(queue.kind).observe(time.perf_counter() - began)
        for write, result in zip(batch, results, strict=True):
            write.resolve(result)

    async def send(self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]) -> list[R]:
        """Send one batch and return its results. After 10 s the connection is cut, which fails the batch.

        Raises Unconfirmed if the wait for the standby was cancelled.
        """
        deadline = self.loop.call_later(COMMIT_SECONDS, connection.terminate)
        try:
            with refusing_warnings(connection):
                return await queue.commit(connection, [write.element for write in batch])
        finally:
            deadline.cancel()

    async def recover(
        self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]], error: Exception
    ) -> None:
        """Find an answer for each write of a batch that failed."""
        if not rolled_back(error) or connection.is_closed():
            self.connection.discard()
            await self.resolve_outcome(queue, batch)
        elif isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            self.connection.discard()
            fail_all(batch, Unavailable())
        elif isinstance(error, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
            fail_all(batch, Unavailable())
        elif len(batch) == 1:
            batch[0].fail(Unavailable() if is_unavailable(error) else error)
        else:
            await self.commit_one_by_one(connection, queue, batch)

    async def commit_one_by_one(
        self, connection: Connection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]
    ) -> None:
        """Send the writes of a batch one by one, so that only those that made it fail are refused."""
        rest = deque(batch)
        while rest and self.connection.current is connection:
            write = rest.popleft()
            if write.timed_out:
                write.fail(Unavailable())
            else:
                await self.commit(connection, queue, [write])
        queue.put_back(rest)

    async def resolve_outcome(self, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]) -> None:
        """Find out what a batch whose connection broke has committed; answer those writes and send the rest again.

        After a fail-over nothing proves that the rest is lost, because the old server may come back: it is unknown.
        """
        lost = self.connection.backend
        assert lost is not None
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                committed = await self.find_committed(queue, [write.element for write in batch], lost)
        except TimeoutError:
            committed = None
        for number, result in (committed or {}).items():
            batch[number].resolve(result)
        if committed is None or self.connection.has_moved_from(lost):
            fail_all(batch, OutcomeUnknown())
        else:
            queue.put_back([write for number, write in enumerate(batch) if number not in committed])

    async def find_committed(self, queue: WriteQueue[E, R], elements: list[E], lost: Backend) -> dict[int, R] | None:
        """Return the results of the elements that were committed, by position; None if that cannot be known."""
        while True:
            connection = await self.connection.get()
            try:
                await end_backend(connection, lost)
                if queue.find is None:
                    return None
                if committed := await queue.find(connection, elements):
                    await wait_for_standby(connection)
                return committed
            except DATABASE_FAILURES:
                self.connection.discard()
                await asyncio.sleep(RESOLVE_PAUSE_SECONDS)

    def unfinished_seconds(self) -> dict[str, float]:
        """Return for how long writes have waited although none of their kind was committed, by kind."""
        return {queue.kind: queue.progress.seconds() for queue in self.queues}

    def disk_is_full(self) -> bool:
        """Return whether PostgreSQL refused the newest batch for lack of space, within the last minute."""
        return self.disk_full_at is not None and time.monotonic() - self.disk_full_at < DISK_FULL_SECONDS

    async def finish(self) -> None:
        """Wait until no caller waits for an answer."""
        await self.idle.wait()

    async def close(self) -> None:
        """End the task and the connection; queued writes are refused, the outcome of those in flight is unknown."""
        if self.in_flight:
            # First, because a cancelled statement would not wait for the standby any longer, and show its posts.
            self.connection.discard()
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        fail_all(self.in_flight, OutcomeUnknown())
        for queue in self.queues:
            fail_all(queue.pending, Unavailable())
        await self.connection.close()


def trace(kind: str, began: int, batch: Sequence[PendingWrite[Any, Any]], *, failed: bool) -> None:
    about: dict[str, str | int] = {"agent_board.kind": kind, "agent_board.writes": len(batch)}
    traces.record_batch("commit", began, (write.traceparent for write in batch), about, failed)

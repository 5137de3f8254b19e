"""Group commit (ARCHITECTURE.md, "The walk of a write"): writes that arrive during a commit form the next batch.

It uses one connection and one statement per batch, and adds no delay. It never guesses an outcome: if the connection
breaks during a commit, a new connection finds out what was committed, and waits until the standby has it too.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, TypeVar

import asyncpg
import structlog
from asyncpg import Connection
from prometheus_client import Gauge, Histogram

from services.board.database.admission import Admission
from services.board.database.backends import refusing_warnings
from services.board.database.failures import DATABASE_FAILURES
from services.board.database.write_queue import WriteQueue
from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts import publications, votes
from services.board.posts.publications import Outcome, Publication
from services.board.posts.votes import Ballot, Counted
from services.process.metrics import SECONDS, Registry

from .connection import WritingConnection
from .recovery import Find, recover

BATCH_MAX: Final = 256
WRITE_TIMEOUT_SECONDS = 5.0
REPEAT_TIMEOUT_SECONDS = 2.0
WRITES_WAITING_MAX: Final = 2000
"""Of each kind in one process: a few seconds of writing."""
# PostgreSQL itself cancels a statement after 5 s: beyond this limit, the other end of the connection is dead.
COMMIT_SECONDS = 10.0
# A database with one of these refuses every write, until its disk has room or it is no longer read-only.
REFUSALS: Final = (asyncpg.DiskFullError, asyncpg.ReadOnlySQLTransactionError)
# A process without writes learns nothing, so it reports a refusal no longer than this.
REFUSED_SECONDS: Final = 60.0

E = TypeVar("E", Publication, Ballot)
R = TypeVar("R")
WriteBatch = Callable[[Connection, Sequence[E]], Awaitable[list[R]]]
log = structlog.get_logger()


class Committer:
    """Commits the posts and votes of one process on one connection."""

    def __init__(self, admission: Admission, communities_open: bool, registry: Registry) -> None:
        self.communities_open = communities_open
        self.registry = registry
        self.connection = WritingConnection(admission)
        self.lock = asyncio.Lock()
        self.keys: set[tuple[bytes, str | None]] = set()  # of posts that are not answered yet
        self.newest = 0.0  # the time of the newest post
        self.refused_at: float | None = None  # when the newest batch was refused as every other would be
        self.posts = self.queue("post", self.publish_batch, lambda post: post.token_hash, publications.find_outcomes)
        # Nothing finds a vote: it leaves no trace that shows which call set it.
        self.votes = self.queue("vote", votes.vote_batch, lambda ballot: (ballot.token_hash, ballot.post_id), None)
        self.queues = (self.posts, self.votes)
        self.measure()

    def queue(
        self, kind: str, write: WriteBatch[E, R], conflict_key: Callable[[E], Hashable], find: Find[E, R] | None
    ) -> WriteQueue[E, R]:
        """Return the queue of one kind, of which two with the same `conflict_key` never share a batch.

        Without `find`, a broken connection leaves the outcome unknown.
        """
        return WriteQueue(
            kind,
            partial(self.commit, kind, write, find),
            room=WRITES_WAITING_MAX,
            size_max=BATCH_MAX,
            conflict_key=conflict_key,
            is_shared=lambda _: False,
            turn=self.turn,
        )

    def measure(self) -> None:
        self.registry.background_errors.labels("committer")
        self.seconds = Histogram(
            "agent_board_batch_seconds",
            "Time from sending a batch to its commit, by kind.",
            ["kind"],
            buckets=SECONDS,
            registry=self.registry,
        )
        Gauge(
            "agent_board_newest_post_ahead_seconds",
            "Seconds by which the newest post of this process is in the future; normally 0.",
            registry=self.registry,
        ).set_function(lambda: max(0.0, self.newest - time.time()))

    async def publish(self, publication: Publication) -> Outcome:
        """Append a post and return after its commit.

        A repeat of a keyed call that is still running waits for at most 2 s. Raises Unavailable when nothing was
        written, also if too many posts of the agent wait; OutcomeUnknown when nothing reveals whether it was.
        """
        key = publication.token_hash, publication.key
        if publication.key is not None and key in self.keys:
            return await self.write(self.posts, publication, REPEAT_TIMEOUT_SECONDS)
        self.keys.add(key)
        try:
            return await self.write(self.posts, publication, WRITE_TIMEOUT_SECONDS)
        finally:
            self.keys.discard(key)

    async def vote(self, ballot: Ballot) -> Counted:
        """Count a vote and return after its commit. Raises the same errors as `publish`."""
        return await self.write(self.votes, ballot, WRITE_TIMEOUT_SECONDS)

    async def write(self, queue: WriteQueue[E, R], element: E, seconds: float) -> R:
        return await queue.write(element, seconds, element.token_hash)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until no other batch uses the connection, and there is one. Until then no batch is taken."""
        async with self.lock:
            await self.connection.get()
            yield

    async def commit(
        self, kind: str, write: WriteBatch[E, R], find: Find[E, R] | None, elements: Sequence[E]
    ) -> Sequence[R | Exception]:
        """Commit one batch, and return an answer for each of its writes, whatever happens.

        Raises Unavailable or the error of a batch that was rolled back because of some of its writes.
        """
        began = time.perf_counter()
        connection = self.connection.current
        try:
            results = await self.send(connection, write, elements)
        except Exception as error:  # noqa: BLE001 - every failure is recovered
            self.note_failure(kind, len(elements), error)
            return await self.recover(connection, find, elements, error)
        self.refused_at = None
        self.seconds.labels(kind).observe(time.perf_counter() - began)
        return results

    async def send(self, connection: Connection, write: WriteBatch[E, R], elements: Sequence[E]) -> list[R]:
        """Send one batch and return its results. After 10 s the connection is cut, which fails the batch.

        Raises Unconfirmed if the wait for the standby was cancelled.
        """
        deadline = asyncio.get_running_loop().call_later(COMMIT_SECONDS, connection.terminate)
        try:
            with refusing_warnings(connection):
                results = await write(connection, elements)
        finally:
            deadline.cancel()
        if len(results) != len(elements):
            raise ValueError(f"{len(results)} results for {len(elements)} writes")
        return results

    def note_failure(self, kind: str, size: int, error: Exception) -> None:
        bug = None if isinstance(error, DATABASE_FAILURES) else error
        self.refused_at = time.monotonic() if isinstance(error, REFUSALS) else None
        log.warning("batch_failed", kind=kind, size=size, error=type(error).__name__, exc_info=bug)

    async def recover(
        self, connection: Connection, find: Find[E, R] | None, elements: Sequence[E], error: Exception
    ) -> list[R | Exception]:
        """Return an answer for each write of a batch that failed. Raises the same errors as `commit`."""
        try:
            return await recover(self.connection, connection, find, elements, error)
        except (Unavailable, asyncpg.PostgresError):
            raise
        except Exception as fault:  # noqa: BLE001 - nothing shows what was committed
            self.registry.record_error("committer", fault)
            self.connection.discard()
            return [OutcomeUnknown()] * len(elements)

    async def publish_batch(self, connection: Connection, batch: Sequence[Publication]) -> list[Outcome]:
        outcomes = await publications.publish_batch(connection, batch, self.communities_open)
        self.newest = max(self.newest, *(outcome.created for outcome in outcomes))
        return outcomes

    def is_refused(self) -> bool:
        """Return whether PostgreSQL refused the newest batch as every other, within the last minute."""
        return self.refused_at is not None and time.monotonic() - self.refused_at < REFUSED_SECONDS

    async def close(self) -> None:
        """End the batches and the connection; writes that wait are refused, the outcome of those sent is unknown."""
        # First, because a cancelled statement would not wait for the standby any longer, and show its posts.
        self.connection.discard()
        for queue in self.queues:
            queue.cancel()
        for queue in self.queues:
            await queue.join()
        self.connection.discard()

"""Group commit: writes that arrive while a batch is under way go together as the next one (architecture 4).

One connection, one statement per batch, no added delay. It must never answer with a guess: when the connection breaks
during a commit, it finds out on a new one what happened.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, TypeVar

import asyncpg
import structlog
from asyncpg import Connection

from services.board import database, posts, votes
from services.board.backends import Backend, backend_of, end_backend, is_away, rolled_back
from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts import Outcome, Publication
from services.board.process.instruments import Distribution
from services.board.votes import Ballot, Counted

from .lane import Lane, Waiting, refuse

PATIENCE_SECONDS = 5.0
REPEAT_PATIENCE_SECONDS = 2.0
# the server itself ends a statement after 5 s: beyond this, nobody is at the other end of the connection
COMMIT_SECONDS = 10.0
SETTLE_SECONDS = 20.0
RECONNECT_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)
# what a connection fails with; asyncpg says InternalClientError when the server ended it while it was idle
FAILURES = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError, asyncpg.PostgresError)

E = TypeVar("E")
R = TypeVar("R")
log = structlog.get_logger()


class Committer:
    """Commits posts and votes of one process. `room` is how many may wait before new ones are refused."""

    def __init__(self, url: str, communities_open: bool, room: int, sizes: Distribution, seconds: Distribution) -> None:
        self.url = url
        self.room = room
        self.sizes = sizes
        self.seconds = seconds
        self.connection: Connection | None = None
        self.backend: Backend | None = None
        self.wake = asyncio.Event()
        self.callers = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.keys: set[tuple[bytes, str]] = set()
        self.task: asyncio.Task[None] | None = None
        self.under_way: list[Waiting[Any, Any]] = []

        async def publish_batch(connection: Connection, batch: Sequence[Publication]) -> list[Outcome]:
            return await posts.publish_batch(connection, batch, communities_open)

        self.posts: Lane[Publication, Outcome] = Lane(
            "post", publish_batch, lambda element: element.token_hash, posts.find_outcomes
        )
        # a vote leaves no mark of its own: whether it was this call that set it cannot be found out
        self.votes: Lane[Ballot, Counted] = Lane(
            "vote", votes.vote_batch, lambda element: (element.token_hash, element.post_id)
        )
        self.lanes: tuple[Lane[Any, Any], ...] = (self.posts, self.votes)

    async def start(self) -> None:
        """Connect, and begin to commit."""
        await self.connect()
        self.task = asyncio.create_task(self.run(), name="committer")

    async def publish(self, publication: Publication) -> Outcome:
        """Append a post; returns after its commit.

        A repeat of a keyed call that is still running waits for it, at most 2 s. Raises Unavailable when nothing was
        written, OutcomeUnknown when that could not be found out.
        """
        key = (publication.token_hash, publication.key or "")
        if publication.key is None:
            return await self.submit(self.posts, publication, PATIENCE_SECONDS)
        if key in self.keys:
            return await self.submit(self.posts, publication, REPEAT_PATIENCE_SECONDS)
        self.keys.add(key)
        try:
            return await self.submit(self.posts, publication, PATIENCE_SECONDS)
        finally:
            self.keys.discard(key)

    async def vote(self, ballot: Ballot) -> Counted:
        """Count a vote; returns after its commit. Raises as `publish` does."""
        return await self.submit(self.votes, ballot, PATIENCE_SECONDS)

    async def submit(self, lane: Lane[E, R], element: E, patience: float) -> R:
        if self.waiting() >= self.room:
            raise Unavailable("Too many writes are waiting; nothing was changed.")
        loop = asyncio.get_running_loop()
        waiting: Waiting[E, R] = Waiting(element, loop.create_future())
        lane.queue.append(waiting)
        self.wake.set()
        self.callers += 1
        self.idle.clear()
        timer = loop.call_later(patience, self.give_up, lane, waiting)
        try:
            return await waiting.future
        finally:
            timer.cancel()
            lane.withdraw(waiting)
            self.leave()

    def give_up(self, lane: Lane[E, R], waiting: Waiting[E, R]) -> None:
        """Refuse what has not been sent yet; what is under way is waited for, so that the answer is true."""
        waiting.overdue = True
        if not waiting.taken:
            lane.withdraw(waiting)
            waiting.refuse(Unavailable())

    def leave(self) -> None:
        self.callers -= 1
        if not self.callers:
            self.idle.set()

    def waiting(self) -> int:
        """How many writes wait for a batch."""
        return sum(len(lane.queue) for lane in self.lanes)

    async def run(self) -> None:
        """Commit all there is, then rest until there is more."""
        while True:
            if not self.waiting():
                self.under_way = []
                self.wake.clear()
                await self.wake.wait()
            connection = await self.connected()
            for lane in self.lanes:
                self.under_way = lane.take()
                if self.under_way:
                    await self.commit(connection, lane, self.under_way)
                if self.connection is not connection:
                    break

    async def commit(self, connection: Connection, lane: Lane[E, R], batch: list[Waiting[E, R]]) -> None:
        """Send one batch and answer its waiters, whatever happens to it."""
        began = time.perf_counter()
        try:
            async with asyncio.timeout(COMMIT_SECONDS):
                results = await lane.commit(connection, [waiting.element for waiting in batch])
        except Exception as error:
            bug = None if isinstance(error, FAILURES) else error
            log.warning("batch_failed", kind=lane.kind, size=len(batch), error=type(error).__name__, exc_info=bug)
            await self.mend(connection, lane, batch, error)
            return
        self.sizes.observe(len(batch), lane.kind)
        self.seconds.observe(time.perf_counter() - began, lane.kind)
        for waiting, result in zip(batch, results, strict=True):
            waiting.answer(result)

    async def mend(
        self, connection: Connection, lane: Lane[E, R], batch: list[Waiting[E, R]], error: Exception
    ) -> None:
        """Find an answer for the waiters of a batch that failed."""
        if not rolled_back(error) or connection.is_closed():
            self.drop(connection)
            await self.settle(lane, batch)
        elif isinstance(error, asyncpg.ReadOnlySQLTransactionError):
            self.drop(connection)
            refuse(batch, Unavailable())
        elif isinstance(error, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
            refuse(batch, Unavailable())
        elif len(batch) == 1:
            batch[0].refuse(Unavailable() if is_away(error) else error)
        else:
            await self.commit_apart(connection, lane, batch)

    async def commit_apart(self, connection: Connection, lane: Lane[E, R], batch: list[Waiting[E, R]]) -> None:
        """Send the elements of a batch one by one, so that only what made it fail is refused."""
        rest = deque(batch)
        while rest and self.connection is connection:
            waiting = rest.popleft()
            if waiting.overdue:
                waiting.refuse(Unavailable())
            else:
                await self.commit(connection, lane, [waiting])
        lane.put_back(rest)

    async def settle(self, lane: Lane[E, R], batch: list[Waiting[E, R]]) -> None:
        """Find out what became of a batch whose connection broke: answer what was committed, send the rest again."""
        try:
            async with asyncio.timeout(SETTLE_SECONDS):
                committed = await self.committed(lane, [waiting.element for waiting in batch])
        except TimeoutError:
            committed = None
        if committed is None:
            refuse(batch, OutcomeUnknown())
            return
        for number, result in committed.items():
            batch[number].answer(result)
        lane.put_back([waiting for number, waiting in enumerate(batch) if number not in committed])

    async def committed(self, lane: Lane[E, R], elements: list[E]) -> dict[int, R] | None:
        """The results of those elements that were committed, by position; None when nobody can tell."""
        old = self.backend
        while True:
            connection = await self.connected()
            try:
                if old is not None:
                    await end_backend(connection, old)
                return None if lane.find is None else await lane.find(connection, elements)
            except FAILURES:
                self.drop(connection)
                await asyncio.sleep(RECONNECT_PAUSES[2])

    async def connected(self) -> Connection:
        """The connection, made anew for as long as it takes."""
        attempt = 0
        while self.connection is None or self.connection.is_closed():
            try:
                return await self.connect()
            except FAILURES as error:
                pause = RECONNECT_PAUSES[min(attempt, len(RECONNECT_PAUSES) - 1)]
                log.warning("database_away", error=type(error).__name__, pause_seconds=pause)
                attempt += 1
                await asyncio.sleep(pause)
        return self.connection

    async def connect(self) -> Connection:
        async with asyncio.timeout(database.CONNECT_SECONDS):
            connection = await database.writing_connection(self.url)
            try:
                backend = await backend_of(connection)
            except BaseException:
                connection.terminate()
                raise
        # only together: settling must never end another backend than the one that was used
        self.connection, self.backend = connection, backend
        return connection

    def drop(self, connection: Connection) -> None:
        """Never use a connection again."""
        connection.terminate()
        self.connection = None

    async def finish(self) -> None:
        """Wait until nobody waits for an answer."""
        await self.idle.wait()

    async def close(self) -> None:
        """End the task and the connection; what still waits is refused, and what is under way is cut off."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        refuse(self.under_way, OutcomeUnknown())
        for lane in self.lanes:
            refuse(lane.queue, Unavailable())
        if self.connection is not None:
            with contextlib.suppress(*FAILURES):
                await self.connection.close(timeout=2)

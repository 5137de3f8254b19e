"""Group commit (ARCHITECTURE.md, "The walk of a write"): writes that arrive during a commit form the next batch.

It uses one connection and one statement per batch, and adds no delay. It never guesses an outcome: if the connection
breaks during a commit, a new connection finds out what was committed, and waits until the standby has it too.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from asyncpg import Connection
from prometheus_client import Gauge

from services.board.database.admission import Admission
from services.board.errors import OutcomeUnknown, Unavailable
from services.board.posts import publications, votes
from services.board.posts.publications import Outcome, Publication
from services.board.posts.votes import Ballot, Counted
from services.process.metrics import Registry

from .connection import WritingConnection
from .sender import Sender
from .write_queue import PendingWrite, WriteQueue, fail_all

WRITE_TIMEOUT_SECONDS = 5.0
REPEAT_TIMEOUT_SECONDS = 2.0
# The writes of one agent may take this part of the room that is left: the floods of many agents leave some, too.
# Repeats with a key pass the limiter at any rate.
SHARES = 8
SHARE_MIN = 16
WRITES_WAITING_MAX = 2000
"""Of one process: a few seconds of writing."""
TOO_MANY = "Too many writes are waiting; nothing was changed."

E = TypeVar("E")
R = TypeVar("R")


class Committer:
    """Commits the posts and votes of one process. At most `capacity` writes wait; further ones are refused."""

    def __init__(self, admission: Admission, communities_open: bool, capacity: int, registry: Registry) -> None:
        self.capacity = capacity
        self.callers = 0
        self.idle = asyncio.Event()
        self.idle.set()
        self.keys: set[tuple[bytes, str]] = set()
        self.writing: Counter[bytes] = Counter()  # writes that are not answered yet, by agent
        self.task: asyncio.Task[None] | None = None
        self.newest = 0.0  # the time of the newest post

        async def publish_batch(connection: Connection, batch: Sequence[Publication]) -> list[Outcome]:
            outcomes = await publications.publish_batch(connection, batch, communities_open)
            self.newest = max(self.newest, *(outcome.created for outcome in outcomes))
            return outcomes

        self.posts: WriteQueue[Publication, Outcome] = WriteQueue(
            "post", publish_batch, lambda post: post.token_hash, publications.find_outcomes
        )
        # Votes have no find_outcomes: a vote leaves no trace that shows which call set it.
        self.votes: WriteQueue[Ballot, Counted] = WriteQueue(
            "vote", votes.vote_batch, lambda ballot: (ballot.token_hash, ballot.post_id)
        )
        self.queues: tuple[WriteQueue[Any, Any], ...] = (self.posts, self.votes)
        self.connection = WritingConnection(admission)
        self.sender = Sender(self.connection, self.queues, registry)
        self.waiting = self.sender.waiting
        self.measure(registry)

    def measure(self, registry: Registry) -> None:
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
        await self.connection.open()
        self.task = asyncio.create_task(self.sender.run(), name="committer")

    async def publish(self, publication: Publication) -> Outcome:
        """Append a post and return after its commit.

        A repeat of a keyed call that is still running waits for at most 2 s. Raises Unavailable when nothing was
        written, also if too many writes of the agent wait; OutcomeUnknown when nothing reveals whether it was.
        """
        with self.share(publication.token_hash):
            return await self.publish_once(publication)

    @contextmanager
    def share(self, agent: bytes) -> Iterator[None]:
        """Count a write of an agent until it is answered. Raises Unavailable if too many wait."""
        if self.writing[agent] >= max(SHARE_MIN, (self.capacity - self.waiting()) // SHARES):
            raise Unavailable(TOO_MANY)
        self.writing[agent] += 1
        try:
            yield
        finally:
            self.writing[agent] -= 1
            if not self.writing[agent]:
                del self.writing[agent]

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
        with self.share(ballot.token_hash):
            return await self.submit(self.votes, ballot, WRITE_TIMEOUT_SECONDS)

    async def submit(self, queue: WriteQueue[E, R], element: E, seconds: float) -> R:
        if self.waiting() >= self.capacity:
            raise Unavailable(TOO_MANY)
        loop = asyncio.get_running_loop()
        write: PendingWrite[E, R] = PendingWrite(element, loop.create_future())
        queue.pending.append(write)
        self.sender.arrived.set()
        self.callers += 1
        self.idle.clear()
        timer = loop.call_later(seconds, self.time_out, queue, write)
        try:
            with queue.progress.write():
                return await write.future
        finally:
            timer.cancel()
            queue.remove(write)
            self.callers -= 1
            if not self.callers:
                self.idle.set()

    def time_out(self, queue: WriteQueue[E, R], write: PendingWrite[E, R]) -> None:
        """Refuse a write that was not sent yet. One in flight is waited for, because its answer must be true."""
        write.timed_out = True
        if not write.in_flight:
            queue.remove(write)
            write.fail(Unavailable())

    def unfinished_seconds(self) -> dict[str, float]:
        """Return for how long writes have waited although none of their kind was committed, by kind."""
        return {queue.kind: queue.progress.seconds() for queue in self.queues}

    async def finish(self) -> None:
        """Wait until no caller waits for an answer."""
        await self.idle.wait()

    async def close(self) -> None:
        """End the task and the connection; queued writes are refused, the outcome of those in flight is unknown."""
        if self.sender.in_flight:
            # First, because a cancelled statement would not wait for the standby any longer, and show its posts.
            self.connection.discard()
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        fail_all(self.sender.in_flight, OutcomeUnknown())
        for queue in self.queues:
            fail_all(queue.pending, Unavailable())
        await self.connection.close()

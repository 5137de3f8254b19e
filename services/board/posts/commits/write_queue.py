"""The queues of the committer: the writes that wait for a commit, and which of them can share a batch.

Each write has a future of its own, so that a client that hangs up cancels only its own wait.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Final, Generic, TypeVar

from asyncpg import Connection

from services.board.errors import Unavailable
from services.process import traces

from .progress import Progress

BATCH_MAX: Final = 256

E = TypeVar("E")
R = TypeVar("R")


class PendingWrite(Generic[E, R]):
    """One write that waits for its commit; `in_flight` while its batch is being committed."""

    __slots__ = ("element", "future", "in_flight", "timed_out", "traceparent")

    def __init__(self, element: E, future: "asyncio.Future[R]") -> None:
        self.element = element
        self.future = future
        self.in_flight = False
        self.timed_out = False
        self.traceparent = traces.current.get()

    def resolve(self, result: R) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class WriteQueue(Generic[E, R]):
    """The queue of one kind of write.

    `commit` writes a batch; two elements with the same `conflict_key` never share one. `find` returns the results of
    the elements that were committed, by position; without it, a broken connection leaves the outcome unknown.
    """

    def __init__(
        self,
        kind: str,
        commit: Callable[[Connection, Sequence[E]], Awaitable[list[R]]],
        conflict_key: Callable[[E], Hashable],
        find: Callable[[Connection, Sequence[E]], Awaitable[dict[int, R]]] | None = None,
    ) -> None:
        self.kind = kind
        self.commit = commit
        self.conflict_key = conflict_key
        self.find = find
        self.pending: deque[PendingWrite[E, R]] = deque()
        self.progress = Progress()

    def take(self) -> list[PendingWrite[E, R]]:
        """Remove and return the next batch: the oldest writes that do not conflict. The others keep their order."""
        batch: list[PendingWrite[E, R]] = []
        seen: set[Hashable] = set()
        later: list[PendingWrite[E, R]] = []
        while self.pending and len(batch) < BATCH_MAX:
            write = self.pending.popleft()
            key = self.conflict_key(write.element)
            if key in seen:
                later.append(write)
            else:
                seen.add(key)
                write.in_flight = True
                batch.append(write)
        self.pending.extendleft(reversed(later))
        return batch

    def put_back(self, batch: Sequence[PendingWrite[E, R]]) -> None:
        """Queue unwritten elements again, ahead of all others; those that have timed out are refused instead."""
        for write in reversed(batch):
            if write.timed_out:
                write.fail(Unavailable())
            elif not write.future.done():
                write.in_flight = False
                self.pending.appendleft(write)

    def remove(self, write: PendingWrite[E, R]) -> None:
        """Take a write out of the queue, unless it is in flight."""
        if not write.in_flight:
            with contextlib.suppress(ValueError):
                self.pending.remove(write)


def fail_all(batch: Iterable[PendingWrite[E, R]], error: Exception) -> None:
    for write in batch:
        write.fail(error)

"""The queues of the committer: what waits for a commit, and what may go together in one batch.

Each waiter has a private future, so that a client that hangs up cancels its own wait and nothing else.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

from asyncpg import Connection

from services.board.errors import Unavailable

BATCH_MAX = 256

E = TypeVar("E")
R = TypeVar("R")


class Waiting(Generic[E, R]):
    """One element that waits for its commit; `taken` while its batch is under way, `overdue` after its patience."""

    __slots__ = ("element", "future", "overdue", "taken")

    def __init__(self, element: E, future: "asyncio.Future[R]") -> None:
        self.element = element
        self.future = future
        self.taken = False
        self.overdue = False

    def answer(self, result: R) -> None:
        if not self.future.done():
            self.future.set_result(result)

    def refuse(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class Lane(Generic[E, R]):
    """The queue of one kind of write: how a batch is committed, which may not share one, and what was committed.

    `find` looks up the results of elements whose connection broke, by their position; without it nobody can tell.
    """

    def __init__(
        self,
        kind: str,
        commit: Callable[[Connection, Sequence[E]], Awaitable[list[R]]],
        apart: Callable[[E], Hashable],
        find: Callable[[Connection, Sequence[E]], Awaitable[dict[int, R]]] | None = None,
    ) -> None:
        self.find = find
        self.kind = kind
        self.commit = commit
        self.apart = apart
        self.queue: deque[Waiting[E, R]] = deque()

    def take(self) -> list[Waiting[E, R]]:
        """The next batch: the oldest that may go together. The others keep their order."""
        batch: list[Waiting[E, R]] = []
        seen: set[Hashable] = set()
        later: list[Waiting[E, R]] = []
        while self.queue and len(batch) < BATCH_MAX:
            waiting = self.queue.popleft()
            key = self.apart(waiting.element)
            if key in seen:
                later.append(waiting)
            else:
                seen.add(key)
                waiting.taken = True
                batch.append(waiting)
        self.queue.extendleft(reversed(later))
        return batch

    def put_back(self, batch: Sequence[Waiting[E, R]]) -> None:
        """Queue again what was not written, ahead of all others; what has waited too long is refused instead."""
        for waiting in reversed(batch):
            if waiting.overdue:
                waiting.refuse(Unavailable())
            elif not waiting.future.done():
                waiting.taken = False
                self.queue.appendleft(waiting)

    def withdraw(self, waiting: Waiting[E, R]) -> None:
        """Take an element out of the queue, unless it is under way."""
        if not waiting.taken:
            with contextlib.suppress(ValueError):
                self.queue.remove(waiting)


def refuse(batch: Iterable[Waiting[E, R]], error: Exception) -> None:
    for waiting in batch:
        waiting.refuse(error)

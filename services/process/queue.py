"""A queue: items that wait at the same time go together in one call, and each caller gets its own answer.

Each caller waits on a private future. A shared one would be cancelled for all of them when one caller is cancelled.
An error about one item stays with its caller.
"""

import asyncio
import contextlib
import math
from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class Again(Exception):
    """The answer to an item with which nothing was done: it waits again, ahead of all others."""


@dataclass(eq=False, slots=True)
class Waiting(Generic[T, R]):
    """An item that waits for its answer."""

    item: T
    future: "asyncio.Future[R]"
    weight: int
    sent: bool = False  # while it is in a call
    late: bool = False  # once its patience has ended
    alone: bool = False  # if it must be sent by itself

    def answer(self, answer: R | Exception) -> None:
        """Answer the caller, unless it has left."""
        if self.future.done():
            return
        if isinstance(answer, Exception):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)


@dataclass(eq=False)
class Queue(Generic[T, R]):
    """Passes waiting items to `call`, which returns one answer per item, in order; an answer may be an exception.

    Items that arrive while `calls_max` calls are in flight form the next batch, which is taken when its `turn` has
    come. The items of a batch weigh at most `size_max` together, unless a single item weighs more, and no two have the
    same `conflict_key`. An item whose caller has given up is not sent. `is_shared` returns whether an error concerns
    all items of a batch. After another error they are sent one by one.
    """

    name: str
    call: Callable[[Sequence[T]], Awaitable[Sequence[R | Exception]]]
    calls_max: int = 1
    size_max: float = math.inf
    weigh: Callable[[T], int] = lambda _: 1
    conflict_key: Callable[[T], Hashable] = lambda _: object()
    is_shared: Callable[[Exception], bool] = lambda _: True
    turn: Callable[[], AbstractAsyncContextManager[object]] = contextlib.nullcontext
    queue: deque[Waiting[T, R]] = field(default_factory=deque, init=False)
    workers: set["asyncio.Task[None]"] = field(default_factory=set, init=False)
    in_flight: int = field(default=0, init=False)
    closed: bool = field(default=False, init=False)

    @property
    def waiting(self) -> int:
        """How many items are not in a call."""
        return len(self.queue)

    def refused(self) -> Exception:
        """Return the error of an item that was not sent."""
        return TimeoutError()

    def unknown(self) -> Exception:
        """Return the error of an item whose call was cancelled."""
        return TimeoutError()

    async def submit(self, item: T, patience: float | None = None) -> R:
        """Return the answer to an item.

        Raises what the call raises, and `refused` if the item was not sent within `patience` seconds. One that was sent
        is waited for, because only its answer shows what became of it.
        """
        waiting = self.put(item)
        timer = None if patience is None else asyncio.get_running_loop().call_later(patience, self.give_up, waiting)
        try:
            return await waiting.future
        finally:
            if timer is not None:
                timer.cancel()
            if not waiting.sent:
                with contextlib.suppress(ValueError):
                    self.queue.remove(waiting)

    def put(self, item: T) -> Waiting[T, R]:
        """Let an item wait for its answer. Its future belongs to the caller, who may cancel it."""
        waiting: Waiting[T, R] = Waiting(item, asyncio.get_running_loop().create_future(), self.weigh(item))
        if self.closed:
            waiting.answer(self.refused())
        else:
            self.queue.append(waiting)
            self.start_worker()
        return waiting

    def give_up(self, waiting: Waiting[T, R]) -> None:
        waiting.late = True
        if not waiting.sent:
            waiting.answer(self.refused())

    async def join(self) -> None:
        """Return when no item waits and no call is in flight."""
        while self.workers:
            await asyncio.wait(self.workers)

    def cancel(self) -> None:
        """Refuse waiting and later submissions, and cancel the calls in flight."""
        self.closed = True
        for waiting in self.queue:
            waiting.answer(self.refused())
        for worker in self.workers:
            worker.cancel()

    def start_worker(self) -> None:
        """Start a worker for what waits, unless there are enough, or one without a call will take it."""
        if self.queue and not self.closed and len(self.workers) == self.in_flight < self.calls_max:
            worker = asyncio.create_task(self.work(), name=self.name)
            self.workers.add(worker)
            worker.add_done_callback(self.end_worker)

    def end_worker(self, worker: "asyncio.Task[None]") -> None:
        """Forget a worker; waiting calls may need another one, if this one was cancelled."""
        self.workers.discard(worker)
        self.start_worker()

    async def work(self) -> None:
        """Send one batch after the other until nothing waits. Only a cancellation ends this early."""
        try:
            while self.queue:
                async with self.turn():
                    await self.send(self.take())
        except Exception as error:  # noqa: BLE001 - the turn has failed, and every caller gets the reason
            while self.queue:
                self.queue.popleft().answer(error)

    def take(self) -> list[Waiting[T, R]]:
        """Remove and return the next batch: the oldest items that may go together. The others keep their order."""
        batch: list[Waiting[T, R]] = []
        later: list[Waiting[T, R]] = []
        keys: set[Hashable] = set()
        size = 0
        while self.queue:
            first = self.queue[0]
            if batch and (first.alone or batch[0].alone or size + first.weight > self.size_max):
                break
            self.queue.popleft()
            key = self.conflict_key(first.item)
            if key in keys:
                later.append(first)
            elif not first.future.done():
                keys.add(key)
                size += first.weight
                first.sent = True
                batch.append(first)
        self.queue.extendleft(reversed(later))
        return batch

    async def send(self, batch: Sequence[Waiting[T, R]]) -> None:
        """Send a batch, if it has items, and give each caller its answer or its error."""
        if not batch:
            return
        self.in_flight += 1
        self.start_worker()
        answers: Sequence[R | Exception]
        try:
            answers = await self.call([waiting.item for waiting in batch])
            if len(answers) != len(batch):
                raise ValueError(f"{self.name}: {len(answers)} answers for {len(batch)} items")
        except Exception as error:  # noqa: BLE001 - every caller gets it
            answers = self.after(error, batch)
        except asyncio.CancelledError:
            for waiting in batch:
                waiting.answer(self.unknown())
            raise
        finally:
            self.in_flight -= 1
        # The last first, so that items that wait again keep their order.
        for waiting, answer in zip(reversed(batch), reversed(answers), strict=True):
            if isinstance(answer, Again):
                self.put_back(waiting)
            else:
                waiting.answer(answer)

    def after(self, error: Exception, batch: Sequence[Waiting[T, R]]) -> list[Exception]:
        """Return the answers of a batch that failed; if the error may be about one item, each is sent by itself."""
        if len(batch) == 1 or self.is_shared(error):
            return [error] * len(batch)
        for waiting in batch:
            waiting.alone = True
        return [Again()] * len(batch)

    def put_back(self, waiting: Waiting[T, R]) -> None:
        """Let an item wait again, ahead of all others; it is refused instead if its patience has ended."""
        if waiting.late:
            waiting.answer(self.refused())
        elif not waiting.future.done():
            waiting.sent = False
            self.queue.appendleft(waiting)

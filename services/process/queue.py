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
from time import monotonic
from typing import Generic, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")


class Again(Exception):
    """The answer to an item with which nothing was done: it waits again, ahead of all others."""


class Waiting(Generic[T, R]):
    """An item that waits for its answer.

    It is `sent` while it is in a call, `late` once its patience has ended, and `alone` if it must be sent by itself.
    """

    __slots__ = ("alone", "future", "item", "late", "sent", "weight")

    def __init__(self, item: T, future: "asyncio.Future[R]", weight: int) -> None:
        self.item = item
        self.future = future
        self.weight = weight
        self.sent = self.late = self.alone = False

    def answer(self, answer: R | Exception) -> None:
        """Answer the caller, unless it has left."""
        if self.future.done():
            return
        if isinstance(answer, Exception):
            self.future.set_exception(answer)
        else:
            self.future.set_result(answer)


class Queue(Generic[T, R]):
    """Passes waiting items to `call`, which returns one answer per item, in order; an answer may be an exception.

    At most `calls_max` calls are in flight; items that arrive meanwhile form the next batch, which is taken when its
    `turn` has come. The items of a batch weigh at most `size_max` together, unless a single item weighs more, and no
    two have the same `conflict_key`. An item whose caller has given up is not sent. `is_shared` returns whether an
    error concerns all items of a batch. After another error they are sent one by one. `refused` makes the error of an
    item that was not sent, and `unknown` that of an item whose call was cancelled.
    """

    def __init__(
        self,
        name: str,
        call: Callable[[Sequence[T]], Awaitable[Sequence[R | Exception]]],
        *,
        calls_max: int = 1,
        size_max: float = math.inf,
        weigh: Callable[[T], int] = lambda _: 1,
        conflict_key: Callable[[T], Hashable] = lambda _: object(),
        is_shared: Callable[[Exception], bool] = lambda _: True,
        turn: Callable[[], AbstractAsyncContextManager[object]] = contextlib.nullcontext,
        refused: Callable[[], Exception] = TimeoutError,
        unknown: Callable[[], Exception] = TimeoutError,
    ) -> None:
        self.name = name
        self.call = call
        self.calls_max = calls_max
        self.size_max = size_max
        self.weigh = weigh
        self.conflict_key = conflict_key
        self.is_shared = is_shared
        self.turn = turn
        self.refused = refused
        self.unknown = unknown
        self.queue: deque[Waiting[T, R]] = deque()
        self.workers: set[asyncio.Task[None]] = set()
        self.began: list[float] = []  # when the calls in flight began
        self.starting = False  # a new worker, which has not taken anything yet, will take everything that waits
        self.closed = False

    @property
    def waiting(self) -> int:
        """How many items are not in a call."""
        return len(self.queue)

    @property
    def in_flight(self) -> int:
        """How many calls are in flight."""
        return len(self.began)

    def busy_seconds(self) -> float:
        """For how long the oldest call has been in flight; 0 without any."""
        return monotonic() - min(self.began) if self.began else 0.0

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
            return waiting
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
        """Refuse what waits and what is submitted afterwards, and cancel the calls in flight."""
        self.closed = True
        for waiting in self.queue:
            waiting.answer(self.refused())
        for worker in self.workers:
            worker.cancel()

    def start_worker(self) -> None:
        if self.queue and not self.starting and len(self.workers) < self.calls_max:
            self.starting = True
            worker = asyncio.create_task(self.work(), name=self.name)
            self.workers.add(worker)
            worker.add_done_callback(self.workers.discard)  # one that is cancelled before it runs does not do so itself

    async def work(self) -> None:
        """Send one batch after the other until nothing waits. Only a cancellation ends this early."""
        try:
            while self.queue:
                async with self.turn():
                    self.starting = False
                    batch = self.take()
                    self.start_worker()
                    await self.send(batch)
        except Exception as error:  # noqa: BLE001 - the turn has failed, and every caller gets the reason
            while self.queue:
                self.queue.popleft().answer(error)
        finally:
            self.starting = False
            # The done callback runs too late: an item submitted before it would start no worker.
            self.workers.discard(cast("asyncio.Task[None]", asyncio.current_task()))
            if not self.closed:
                self.start_worker()  # something that the call waited for was cancelled

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
        began = monotonic()
        self.began.append(began)
        try:
            answers = await self.call([waiting.item for waiting in batch])
            if len(answers) != len(batch):
                raise ValueError(f"{self.name}: {len(answers)} answers for {len(batch)} items")
        except Exception as error:  # noqa: BLE001 - every caller gets it
            self.fail(batch, error)
        except asyncio.CancelledError:
            for waiting in batch:
                waiting.answer(self.unknown())
            raise
        else:
            self.answer(batch, answers)
        finally:
            self.began.remove(began)

    def answer(self, batch: Sequence[Waiting[T, R]], answers: Sequence[R | Exception]) -> None:
        again = []
        for waiting, answer in zip(batch, answers, strict=True):
            if isinstance(answer, Again):
                again.append(waiting)
            else:
                waiting.answer(answer)
        self.put_back(again)

    def fail(self, batch: Sequence[Waiting[T, R]], error: Exception) -> None:
        """Give the callers of a batch its error; if it may be about one item, send each by itself instead."""
        if len(batch) > 1 and not self.is_shared(error):
            for waiting in batch:
                waiting.alone = True
            self.put_back(batch)
            return
        for waiting in batch:
            waiting.answer(error)

    def put_back(self, batch: Sequence[Waiting[T, R]]) -> None:
        """Let items wait again, ahead of all others; those whose patience has ended are refused instead."""
        for waiting in reversed(batch):
            if waiting.late:
                waiting.answer(self.refused())
            elif not waiting.future.done():
                waiting.sent = False
                self.queue.appendleft(waiting)

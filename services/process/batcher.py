"""Batching: items that wait at the same time go together in one call, and each caller gets its own result.

Each caller waits on a private future. A shared one would be cancelled for all of them when one caller is cancelled.
An error about one item stays with its caller.
"""

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Generic, TypeVar, cast

T = TypeVar("T")
R = TypeVar("R")


class Batcher(Generic[T, R]):
    """Passes waiting items to `call`, which returns one result per item, in order.

    At most `calls_max` calls are in flight; items that arrive meanwhile form the next batch. The items of a batch weigh
    at most `size_max` together, unless a single item weighs more. An item whose caller has given up is not sent.
    `is_shared` returns whether an error concerns all items of a batch. After another error they are sent one by one.
    """

    def __init__(
        self,
        name: str,
        call: Callable[[Sequence[T]], Awaitable[Sequence[R]]],
        *,
        calls_max: int = 1,
        size_max: float = math.inf,
        weigh: Callable[[T], int] = lambda _: 1,
        is_shared: Callable[[Exception], bool] = lambda _: True,
    ) -> None:
        self.name = name
        self.call = call
        self.calls_max = calls_max
        self.size_max = size_max
        self.weigh = weigh
        self.is_shared = is_shared
        self.queue: deque[Waiting[T, R]] = deque()
        self.workers: set[asyncio.Task[None]] = set()
        self.began: set[float] = set()  # when the calls in flight began
        self.starting = False  # a new worker, which has not run yet, will take everything that waits

    @property
    def waiting(self) -> int:
        """How many items are not in a call yet."""
        return len(self.queue)

    @property
    def in_flight(self) -> int:
        """How many calls are in flight."""
        return len(self.workers)

    def busy_seconds(self) -> float:
        """For how long the oldest call has been in flight; 0 without any."""
        return monotonic() - min(self.began) if self.began else 0.0

    def put(self, item: T) -> "asyncio.Future[R]":
        """Return a future of the result for an item. It belongs to the caller, who may cancel it."""
        future: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self.queue.append(Waiting(item, future, self.weigh(item)))
        if not self.starting and len(self.workers) < self.calls_max:
            self.starting = True
            self.workers.add(asyncio.create_task(self.work(), name=self.name))
        return future

    async def submit(self, item: T, patience: float | None = None) -> R:
        """Return the result for an item. Raises what the call raises, and TimeoutError after `patience` seconds."""
        return await asyncio.wait_for(self.put(item), patience)

    async def join(self) -> None:
        """Return when no item waits and no call is in flight."""
        while self.workers:
            await asyncio.wait(self.workers)

    def cancel(self) -> None:
        """Cancel the calls in flight and every caller that waits. Nothing may be submitted afterwards."""
        for worker in self.workers:
            worker.cancel()
        for waiting in self.queue:
            waiting.future.cancel()

    async def work(self) -> None:
        self.starting = False
        try:
            while batch := self.take():
                await self.send(batch)
        finally:
            # a done callback runs too late: an item submitted before it would start no worker
            self.workers.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    def take(self) -> list["Waiting[T, R]"]:
        batch: list[Waiting[T, R]] = []
        size = 0
        while self.queue:
            first = self.queue[0]
            if not first.future.done():
                size += first.weight
                if batch and (size > self.size_max or first.alone):
                    break
                batch.append(first)
            self.queue.popleft()
            if first.alone and batch:
                break
        return batch

    async def send(self, batch: "Sequence[Waiting[T, R]]") -> None:
        """Send a batch, and give each caller its result or its error."""
        began = monotonic()
        self.began.add(began)
        try:
            results = await self.call([waiting.item for waiting in batch])
            if len(results) != len(batch):
                raise ValueError(f"{self.name}: {len(results)} results for {len(batch)} items")
        except Exception as error:  # noqa: BLE001 - every caller gets it
            self.fail(batch, error)
        except asyncio.CancelledError:
            for waiting in batch:
                waiting.future.cancel()
            raise
        else:
            for waiting, result in zip(batch, results, strict=True):
                if not waiting.future.done():
                    waiting.future.set_result(result)
        finally:
            self.began.discard(began)

    def fail(self, batch: "Sequence[Waiting[T, R]]", error: Exception) -> None:
        """Give the callers of a batch its error; if it may be about one item, send each by itself instead."""
        if len(batch) > 1 and not self.is_shared(error):
            for waiting in reversed(batch):
                waiting.alone = True
                self.queue.appendleft(waiting)
            return
        for waiting in batch:
            if not waiting.future.done():
                waiting.future.set_exception(error)


class Waiting(Generic[T, R]):
    """An item that waits for its result; `alone` if it must be sent by itself."""

    __slots__ = ("alone", "future", "item", "weight")

    def __init__(self, item: T, future: "asyncio.Future[R]", weight: int) -> None:
        self.item = item
        self.future = future
        self.weight = weight
        self.alone = False

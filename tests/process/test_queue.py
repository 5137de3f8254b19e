"""A queue sends waiting items together, and one caller's failure does not affect any other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from services.process.queue import Again, Queue

SOON = 10.0


class Call:
    """A call that doubles numbers. It returns when `open` is set, and records every batch when it begins."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.in_flight = self.most = 0
        self.open = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await self.open.wait()
        finally:
            self.in_flight -= 1
        if self.error is not None:
            raise self.error
        return [2 * item for item in items]


class Refusing(Queue[int, int]):
    """A queue with errors of its own."""

    def refused(self) -> OSError:
        return OSError("refused")

    def unknown(self) -> OSError:
        return OSError("unknown")


async def settled() -> None:
    """Let every task run until it has to wait."""
    for _ in range(5):
        await asyncio.sleep(0)


def submit(queue: Queue[int, int], *items: int, patience: float | None = None) -> list["asyncio.Task[int]"]:
    return [asyncio.create_task(queue.submit(item, patience)) for item in items]


async def test_items_that_wait_together_go_in_one_call_and_each_caller_gets_its_own_result() -> None:
    call = Call()
    queue = Queue("test", call)
    callers = submit(queue, 1, 2, 3)
    await settled()
    # it should collect items that arrive during a call for the next one
    callers += submit(queue, 4, 5)
    await settled()
    assert (call.batches, queue.waiting, queue.in_flight) == ([[1, 2, 3]], 2, 1)
    call.open.set()
    assert await asyncio.gather(*callers) == [2, 4, 6, 8, 10]
    assert call.batches == [[1, 2, 3], [4, 5]]
    assert (queue.waiting, queue.in_flight) == (0, 0)


async def test_an_item_submitted_as_soon_as_the_last_call_returns_is_sent() -> None:
    call = Call()
    call.open.set()
    queue = Queue("test", call)
    async with asyncio.timeout(SOON):
        assert [await queue.submit(number) for number in range(100)] == list(range(0, 200, 2))


async def test_a_cancelled_caller_takes_no_other_with_it() -> None:
    call = Call()
    queue = Queue("test", call)
    callers = submit(queue, *range(10))
    await settled()
    callers += submit(queue, *range(10, 20))
    await settled()
    for caller in callers[::2]:
        caller.cancel()
    await settled()
    call.open.set()
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])
    assert results[1::2] == [2 * number for number in range(1, 20, 2)]
    # it should not send the items of callers that have left
    assert call.batches == [list(range(10)), list(range(11, 20, 2))]


async def test_no_call_is_made_when_every_caller_has_gone() -> None:
    call = Call()
    queue = Queue("test", call)
    (caller,) = submit(queue, 1)
    await asyncio.sleep(0)
    caller.cancel()
    await settled()
    assert (call.batches, queue.in_flight) == ([], 0)
    call.open.set()
    assert await queue.submit(2) == 4


async def test_an_error_reaches_every_caller_of_its_batch_and_the_next_batch_succeeds() -> None:
    call = Call()
    call.error = OSError("broken")
    queue = Queue("test", call)
    callers = submit(queue, 1, 2, 3)
    call.open.set()
    assert await asyncio.gather(*callers, return_exceptions=True) == [call.error] * 3
    call.error = None
    assert await queue.submit(4) == 8


async def test_a_wrong_number_of_results_is_an_error_for_every_caller() -> None:
    async def lose_one(items: Sequence[int]) -> list[int]:
        return list(items)[1:]

    results = await asyncio.gather(*submit(Queue("test", lose_one), 1, 2), return_exceptions=True)
    assert [str(result) for result in results] == ["test: 1 answers for 2 items"] * 2


async def test_an_error_that_may_be_about_one_item_stays_with_its_caller() -> None:
    batches: list[list[int]] = []

    async def refuse_three(items: Sequence[int]) -> list[int]:
        batches.append(list(items))
        await asyncio.sleep(0)
        if 3 in items:
            raise ValueError("three")
        return [2 * item for item in items]

    queue = Queue("test", refuse_three, is_shared=lambda error: isinstance(error, OSError))
    callers = submit(queue, 1, 2, 3, 4)
    await settled()
    callers += submit(queue, 5, 6)
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert [str(result) for result in results] == ["2", "4", "three", "8", "10", "12"]
    # it should send those that came later together
    assert batches == [[1, 2, 3, 4], [1], [2], [3], [4], [5, 6]]


async def test_an_item_without_a_weight_is_refused_alone() -> None:
    call = Call()
    call.open.set()
    queue = Queue("test", call, weigh=lambda item: 1 // item)
    results = await asyncio.gather(*submit(queue, 1, 0, 2), return_exceptions=True)
    assert (results[0], type(results[1]), results[2]) == (2, ZeroDivisionError, 4)


async def test_a_batch_holds_no_more_than_its_size() -> None:
    call = Call()
    call.open.set()
    assert await asyncio.gather(*submit(Queue("test", call, size_max=4), *range(10))) == list(range(0, 20, 2))
    assert call.batches == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


async def test_a_batch_is_measured_by_the_weight_of_its_items() -> None:
    call = Call()
    call.open.set()
    await asyncio.gather(*submit(Queue("test", call, size_max=4, weigh=lambda item: item), 1, 3, 2, 9, 0, 1))
    # it should send an oversized item on its own
    assert call.batches == [[1, 3], [2], [9], [0, 1]]


async def test_so_many_calls_are_in_flight_and_no_more() -> None:
    call = Call()
    queue = Queue("test", call, calls_max=2)
    callers = []
    for number in range(4):
        callers += submit(queue, number, 10 + number)
        await settled()
    assert call.batches == [[0, 10], [1, 11]]
    assert (queue.in_flight, queue.waiting) == (2, 4)
    call.open.set()
    await asyncio.gather(*callers)
    assert call.batches[2:] == [[2, 12, 3, 13]]
    assert call.most == 2


async def test_an_item_that_was_not_sent_in_time_is_refused_and_one_that_was_is_answered() -> None:
    call = Call()
    queue = Refusing("test", call)
    (sent,) = submit(queue, 1, patience=0.01)
    await settled()
    (waiting,) = submit(queue, 2, patience=0.01)
    (patient,) = submit(queue, 3)
    with pytest.raises(OSError, match="refused"):
        await waiting
    assert queue.waiting == 1
    call.open.set()
    assert (await sent, await patient) == (2, 6)
    assert call.batches == [[1], [3]]


async def test_items_that_conflict_go_in_different_calls_in_their_order() -> None:
    call = Call()
    call.open.set()
    await asyncio.gather(
        *submit(Queue("test", call, size_max=3, conflict_key=lambda item: item % 10), 1, 11, 21, 2, 3, 4)
    )
    assert call.batches == [[1, 2, 3], [11, 4], [21]]


async def test_an_item_with_which_nothing_was_done_waits_again_ahead_of_the_others() -> None:
    batches: list[list[int]] = []

    async def half(items: Sequence[int]) -> list[int | Exception]:
        batches.append(list(items))
        await asyncio.sleep(0.02)
        if len(batches) > 1:
            return list(items)
        return [Again(), ValueError("two"), Again(), 4]

    queue = Queue("test", half)
    again, failed = submit(queue, 1, 2)
    (late,) = submit(queue, 3, patience=0.01)
    callers = submit(queue, 4)
    await settled()
    callers += submit(queue, 5)
    results = await asyncio.gather(again, failed, late, *callers, return_exceptions=True)
    # it should refuse one whose patience has ended meanwhile
    assert [str(result) for result in results] == ["1", "two", "", "4", "5"]
    assert isinstance(results[2], TimeoutError)
    assert batches == [[1, 2, 3, 4], [1, 5]]


async def test_items_are_taken_when_their_turn_has_come() -> None:
    call = Call()
    call.open.set()
    lock = asyncio.Lock()

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        async with lock:
            yield

    queue = Queue("test", call, turn=turn)
    async with lock:
        (early,) = submit(queue, 1, patience=0.01)
        with pytest.raises(TimeoutError):
            await early
        callers = submit(queue, 2, 3)
        await settled()
    assert await asyncio.gather(*callers) == [4, 6]
    assert call.batches == [[2, 3]]


async def test_a_turn_that_fails_refuses_what_waits_and_the_next_item_is_sent() -> None:
    call = Call()
    call.open.set()
    failures = [OSError("no turn")]

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        if failures:
            raise failures.pop()
        yield

    queue = Queue("test", call, turn=turn)
    results = await asyncio.gather(*submit(queue, 1, 2), return_exceptions=True)
    assert [str(result) for result in results] == ["no turn"] * 2
    assert await queue.submit(3) == 6


async def test_more_calls_begin_while_a_batch_leaves_items_behind() -> None:
    call = Call()
    queue = Queue("test", call, calls_max=2, size_max=1)
    callers = submit(queue, 1, 2, 3)
    await settled()
    assert (call.batches, queue.waiting) == ([[1], [2]], 1)
    call.open.set()
    assert await asyncio.gather(*callers) == [2, 4, 6]


async def test_join_waits_for_everything_that_was_submitted() -> None:
    call = Call()
    queue = Queue("test", call)
    callers = submit(queue, 1)
    await settled()
    callers += submit(queue, 2)
    joined = asyncio.create_task(queue.join())
    await settled()
    assert not joined.done()
    call.open.set()
    await joined
    assert [caller.result() for caller in callers] == [2, 4]


async def test_cancel_refuses_what_waits_and_leaves_the_outcome_of_the_rest_unknown() -> None:
    call = Call()
    queue = Refusing("test", call)
    callers = submit(queue, 1)
    await settled()
    callers += submit(queue, 2)
    await settled()
    queue.cancel()
    results = await asyncio.gather(*callers, return_exceptions=True)
    assert [str(result) for result in results] == ["unknown", "refused"]
    await queue.join()
    assert (call.in_flight, queue.in_flight) == (0, 0)


async def test_a_queue_that_is_cancelled_before_its_first_call_begins_can_be_joined() -> None:
    queue = Queue("test", Call())
    waiting = queue.put(1)
    queue.cancel()
    async with asyncio.timeout(SOON):
        await queue.join()
    with pytest.raises(TimeoutError):
        await waiting.future


async def test_a_cancelled_queue_refuses_what_is_submitted_afterwards() -> None:
    call = Call()
    queue = Refusing("test", call)
    queue.cancel()
    with pytest.raises(OSError, match="refused"):
        await asyncio.wait_for(queue.submit(1), SOON)
    assert call.batches == []


async def test_items_after_a_call_that_was_cancelled_from_outside_are_sent() -> None:
    inner: list[asyncio.Future[None]] = []

    async def call(items: Sequence[int]) -> list[int]:
        if items == [1]:
            inner.append(asyncio.get_running_loop().create_future())
            await inner[0]
        return [2 * item for item in items]

    queue = Queue("test", call)
    callers = submit(queue, 1)
    await settled()
    callers += submit(queue, 2)
    await settled()
    inner[0].cancel()
    async with asyncio.timeout(SOON):
        results = await asyncio.gather(*callers, return_exceptions=True)
    assert (type(results[0]), results[1]) == (TimeoutError, 4)

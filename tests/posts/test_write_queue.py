"""The queue of one kind of write: its bounds, the share of each agent, and for how long nothing was written."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import asyncpg
import pytest

from services.board.database import write_queue
from services.board.database.write_queue import REMEMBERED_SECONDS, Progress, WriteQueue
from services.board.errors import NotFound, Unavailable

PATIENCE = 300.0
ALICE, BOB = b"alice", b"bob"


class Blocked:
    """A queue whose writes wait for `go`."""

    def __init__(self, room: int) -> None:
        self.go = asyncio.Event()
        self.queue: WriteQueue[int, int] = WriteQueue("test", self.write, room=room, size_max=1)

    async def write(self, batch: Sequence[int]) -> list[int]:
        await self.go.wait()
        return list(batch)

    async def begin(self, agent: bytes | None, count: int) -> list["asyncio.Task[int]"]:
        """Begin writes, and let each run until it has to wait."""
        calls = [asyncio.create_task(self.queue.write(n, PATIENCE, agent)) for n in range(count)]
        for _ in range(3):
            await asyncio.sleep(0)
        return calls


def refused(calls: Sequence["asyncio.Task[int]"]) -> int:
    return sum(call.done() and isinstance(call.exception(), Unavailable) for call in calls)


async def test_a_full_queue_refuses_at_once_and_keeps_what_it_has() -> None:
    blocked = Blocked(room=5)
    first = await blocked.begin(None, 1)
    calls = await blocked.begin(None, 12)
    assert (refused(calls), blocked.queue.waiting, blocked.queue.refusals) == (7, 5, 7)
    blocked.go.set()
    assert await asyncio.gather(*first, *calls[:5]) == [0, 0, 1, 2, 3, 4]


async def test_one_agent_takes_an_eighth_of_the_room_that_is_left() -> None:
    blocked = Blocked(room=9 * 20)
    flood = await blocked.begin(ALICE, 30)
    assert refused(flood) == 10
    assert refused(await blocked.begin(ALICE, 1)) == 1
    assert refused(await blocked.begin(BOB, 1)) == 0
    blocked.go.set()
    await asyncio.gather(*flood, return_exceptions=True)
    # it should forget the agents, and refuse none of their later writes
    assert await blocked.queue.write(7, PATIENCE, ALICE) == 7
    assert blocked.queue.agents == {}


async def test_one_agent_may_always_have_16_writes() -> None:
    blocked = Blocked(room=40)
    assert refused(await blocked.begin(ALICE, 20)) == 4


async def test_floods_of_many_agents_leave_room_for_another() -> None:
    blocked = Blocked(room=2000)
    for number in range(10):
        await blocked.begin(str(number).encode(), 300)
    assert refused(await blocked.begin(ALICE, 1)) == 0


class Clock:
    """A monotonic clock that a test sets."""

    now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(write_queue, "monotonic", lambda: clock.now)
    return clock


def write_for(made: Progress, clock: Clock, seconds: float, error: Exception | None = None) -> None:
    with suppress(Exception), made.write():
        clock.now += seconds
        if error is not None:
            raise error


GIVEN_UP: list[Callable[[], Exception]] = [Unavailable, TimeoutError, asyncpg.LockNotAvailableError, OSError]


@pytest.mark.parametrize("error", GIVEN_UP)
def test_writes_that_are_given_up_one_after_the_other_are_one_stall(clock: Clock, error: type[Exception]) -> None:
    made = Progress()
    assert made.seconds() == 0
    for _ in range(5):
        write_for(made, clock, 2, error())
        clock.now += 8
    # it should not grow while nothing waits
    assert made.seconds() == 42
    with made.write():
        assert made.seconds() == 50
        clock.now += 1
        assert made.seconds() == 51
    assert made.seconds() == 0


def test_a_stall_is_forgotten_when_no_write_comes(clock: Clock) -> None:
    made = Progress()
    write_for(made, clock, 2, Unavailable())
    clock.now += REMEMBERED_SECONDS
    assert made.seconds() == 2
    clock.now += 1
    assert made.seconds() == 0
    with made.write():
        clock.now += 3
        assert made.seconds() == 3


def test_an_answer_of_the_database_ends_a_stall_for_those_that_wait(clock: Clock) -> None:
    made = Progress()
    with made.write():
        clock.now += 4
        write_for(made, clock, 1, NotFound())
        assert made.seconds() == 0
        clock.now += 2
        assert made.seconds() == 2
    assert made.seconds() == 0

"""Lanes: rarer writes wait in short lines, for a short time."""

import asyncio

import pytest

from services.api.request import lanes
from services.api.request.lanes import Lane
from services.board.errors import Unavailable


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for four, and patience beyond the test."""
    monkeypatch.setattr(lanes, "ROOM", 4)
    monkeypatch.setattr(lanes, "PATIENCE_SECONDS", 300.0)


class Stage:
    """A lane whose only place is taken until `go`."""

    def __init__(self) -> None:
        self.lane = Lane(1)
        self.go = asyncio.Event()
        self.done: list[str] = []

    async def call(self, name: str) -> None:
        async with self.lane.turn():
            await self.go.wait()
            self.done.append(name)

    def start(self, names: str) -> "list[asyncio.Task[None]]":
        return [asyncio.create_task(self.call(name)) for name in names]

    async def is_free(self) -> bool:
        """Whether the place can be taken, and no call waits."""
        async with asyncio.timeout(10), self.lane.turn():
            return self.lane.waiting == 0 and self.lane.free.locked()


async def test_calls_go_on_in_the_order_in_which_they_came() -> None:
    stage = Stage()
    calls = stage.start("abcd")
    await asyncio.sleep(0)
    assert stage.lane.waiting == 3
    stage.go.set()
    await asyncio.gather(*calls)
    assert stage.done == ["a", "b", "c", "d"]
    assert await stage.is_free()


async def test_a_call_is_refused_when_there_is_no_room() -> None:
    stage = Stage()
    taken, *line = stage.start("abcde")
    await asyncio.sleep(0)
    (late,) = stage.start("f")
    with pytest.raises(Unavailable):
        await asyncio.wait_for(late, 10)
    assert (stage.lane.waiting, stage.lane.refused) == (4, 1)
    stage.go.set()
    await asyncio.gather(taken, *line)
    assert await stage.is_free()


async def test_a_call_waits_no_longer_than_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PATIENCE_SECONDS", 0.01)
    stage = Stage()
    first, second = stage.start("ab")
    with pytest.raises(Unavailable):
        await second
    stage.go.set()
    await first
    assert await stage.is_free()


@pytest.mark.parametrize("handed_over", [False, True])
async def test_a_call_that_is_cancelled_leaves_no_turn_behind(handed_over: bool) -> None:
    stage = Stage()
    stage.go.set()
    async with stage.lane.turn():
        (waiting,) = stage.start("b")
        await asyncio.sleep(0)
        if not handed_over:
            waiting.cancel()
            await asyncio.wait({waiting})
    # now the turn is handed over, and its taker has not run yet
    waiting.cancel()
    await asyncio.wait({waiting})
    assert stage.done == []
    assert await stage.is_free()

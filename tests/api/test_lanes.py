"""Lanes: rarer writes wait in short lines, and no caller's line holds up another's."""

import asyncio

import pytest

from services.api import lanes
from services.api.lanes import Lane
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

    async def call(self, caller: str) -> None:
        async with self.lane.turn(caller):
            await self.go.wait()
            self.done.append(caller)

    def start(self, callers: str) -> "list[asyncio.Task[None]]":
        return [asyncio.create_task(self.call(caller)) for caller in callers]


async def test_callers_take_turns() -> None:
    stage = Stage()
    calls = stage.start("xaaab")
    await asyncio.sleep(0)
    assert stage.lane.waiting == 4
    stage.go.set()
    await asyncio.gather(*calls)
    assert stage.done == ["x", "a", "b", "a", "a"]
    assert (stage.lane.free, stage.lane.lines) == (1, {})


async def test_the_longest_line_is_cut_when_there_is_no_room() -> None:
    stage = Stage()
    taken, *line = stage.start("xaaaa")
    await asyncio.sleep(0)
    others = stage.start("bc")
    await asyncio.sleep(0)
    # it should refuse the newest calls of the caller that fills the lane
    assert (stage.lane.waiting, stage.lane.refused) == (4, 2)
    for late in (line[3], line[2]):
        with pytest.raises(Unavailable):
            await late
    stage.go.set()
    await asyncio.gather(taken, *line[:2], *others)
    assert (stage.lane.free, stage.lane.lines) == (1, {})


async def test_a_call_waits_no_longer_than_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "PATIENCE_SECONDS", 0.01)
    stage = Stage()
    first, second = stage.start("ab")
    with pytest.raises(Unavailable):
        await second
    stage.go.set()
    await first
    assert (stage.lane.free, stage.lane.lines) == (1, {})


@pytest.mark.parametrize("handed_over", [False, True])
async def test_a_call_that_is_cancelled_leaves_no_turn_behind(handed_over: bool) -> None:
    stage = Stage()
    stage.go.set()
    async with stage.lane.turn("a"):
        (waiting,) = stage.start("b")
        await asyncio.sleep(0)
        if not handed_over:
            waiting.cancel()
            await asyncio.wait({waiting})
    # now the turn is handed over, and its taker has not run yet
    waiting.cancel()
    await asyncio.wait({waiting})
    assert stage.done == []
    assert (stage.lane.free, stage.lane.lines) == (1, {})

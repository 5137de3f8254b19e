"""At most two posts of an agent are under way in a process, and the others come in their order."""

import asyncio

import pytest

from services.api import turns
from services.api.turns import Turns
from services.board.errors import Unavailable

ALICE, BOB = b"alice", b"bob"


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_third_waits_until_one_of_two_has_ended() -> None:
    line = Turns(10)
    await line.take(ALICE, None)
    await line.take(ALICE, None)
    third, fourth = (asyncio.ensure_future(line.take(ALICE, None)) for _ in range(2))
    await settled()
    assert not third.done()
    # it should keep nobody else waiting
    await line.take(BOB, None)
    line.end(ALICE, None)
    await settled()
    assert (third.done(), fourth.done()) == (True, False)


async def test_a_turn_that_was_handed_on_is_not_given_twice() -> None:
    line = Turns(10)
    await line.take(ALICE, None)
    await line.take(ALICE, None)
    third = asyncio.ensure_future(line.take(ALICE, None))
    await settled()
    line.end(ALICE, None)
    # it should be the third's although that has not run yet
    fourth = asyncio.ensure_future(line.take(ALICE, None))
    await settled()
    assert (third.done(), fourth.done()) == (True, False)
    line.end(ALICE, None)
    await settled()
    assert fourth.done()


async def test_never_more_than_two_and_nothing_is_left() -> None:
    line = Turns(1000)
    under_way = most = done = 0

    async def post(key: str | None) -> None:
        nonlocal under_way, most, done
        await line.take(ALICE, key)
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        line.end(ALICE, key)
        done += 1

    await asyncio.gather(*(post(f"key {number % 7}" if number % 3 else None) for number in range(300)))
    assert (most, done) == (2, 300)
    assert (line.lines, line.waiting) == ({}, 0)


async def test_who_waits_too_long_is_refused_and_takes_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_SECONDS", 0.01)
    line = Turns(10)
    await line.take(ALICE, None)
    await line.take(ALICE, None)
    with pytest.raises(Unavailable):
        await line.take(ALICE, None)
    line.end(ALICE, None)
    await line.take(ALICE, None)
    assert line.waiting == 0


async def test_a_repeat_has_less_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "REPEAT_PATIENCE_SECONDS", 0.01)
    line = Turns(10)
    await line.take(ALICE, "k")
    await line.take(ALICE, None)
    waiting = asyncio.ensure_future(line.take(ALICE, "other"))
    with pytest.raises(Unavailable):
        await line.take(ALICE, "k")
    assert not waiting.done()
    line.end(ALICE, "k")
    await waiting


async def test_only_so_many_may_wait() -> None:
    line = Turns(1)
    await line.take(ALICE, None)
    await line.take(ALICE, None)
    waiting = asyncio.ensure_future(line.take(ALICE, None))
    await settled()
    with pytest.raises(Unavailable, match="Too many"):
        await line.take(ALICE, None)
    # it should take what need not wait
    await line.take(BOB, None)
    line.end(ALICE, None)
    await waiting

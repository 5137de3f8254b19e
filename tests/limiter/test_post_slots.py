"""At most two posts of an agent are in flight in a process, and the others get slots in order."""

import asyncio

import pytest

from services.api.throttle import post_slots
from services.api.throttle.post_slots import PostSlots
from services.board.errors import Unavailable

ALICE, BOB = b"alice", b"bob"


async def settled() -> None:
    """Let every task run until it has to wait."""
    for _ in range(5):
        await asyncio.sleep(0)


async def both_taken(room: int = 10, key: str | None = None) -> PostSlots:
    """Slots, both of which alice holds."""
    slots = PostSlots(room)
    await slots.take(ALICE, key)
    await slots.take(ALICE, None)
    return slots


async def test_the_third_post_waits_until_a_slot_is_free() -> None:
    slots = await both_taken()
    third, fourth = (asyncio.ensure_future(slots.take(ALICE, None)) for _ in range(2))
    await settled()
    assert not third.done()
    # it should delay no other agent
    await slots.take(BOB, None)
    slots.free(ALICE, None)
    await settled()
    assert (third.done(), fourth.done()) == (True, False)
    slots.free(ALICE, None)
    await fourth


async def test_a_slot_that_was_handed_on_is_not_given_twice() -> None:
    slots = await both_taken()
    third = asyncio.ensure_future(slots.take(ALICE, None))
    await settled()
    slots.free(ALICE, None)
    # it should belong to the third post, which has not run yet
    fourth = asyncio.ensure_future(slots.take(ALICE, None))
    await settled()
    assert (third.done(), fourth.done()) == (True, False)
    slots.free(ALICE, None)
    await fourth


async def test_a_slot_does_not_leak_when_its_taker_is_cancelled_as_it_gets_it() -> None:
    slots = await both_taken()
    third, fourth = (asyncio.ensure_future(slots.take(ALICE, None)) for _ in range(2))
    await settled()
    slots.free(ALICE, None)
    third.cancel()
    await settled()
    assert third.cancelled()
    assert fourth.done()
    slots.free(ALICE, None)
    slots.free(ALICE, None)
    assert (slots.lines, slots.waiting) == ({}, 0)


async def test_a_post_that_is_cancelled_while_it_waits_takes_no_slot() -> None:
    slots = await both_taken()
    third, fourth = (asyncio.ensure_future(slots.take(ALICE, None)) for _ in range(2))
    await settled()
    third.cancel()
    await settled()
    slots.free(ALICE, None)
    await settled()
    assert fourth.done()
    slots.free(ALICE, None)
    slots.free(ALICE, None)
    assert (slots.lines, slots.waiting) == ({}, 0)


async def test_never_more_than_two_posts_are_in_flight_and_nothing_is_left_behind() -> None:
    slots = PostSlots(1000)
    in_flight = most = done = 0

    async def post(key: str | None) -> None:
        nonlocal in_flight, most, done
        await slots.take(ALICE, key)
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0)
        in_flight -= 1
        slots.free(ALICE, key)
        done += 1

    await asyncio.gather(*(post(f"key {number % 7}" if number % 3 else None) for number in range(300)))
    assert (most, done) == (2, 300)
    assert (slots.lines, slots.waiting) == ({}, 0)


async def test_a_post_that_waits_too_long_is_refused_and_takes_no_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_slots, "PATIENCE_SECONDS", 0.01)
    slots = await both_taken()
    with pytest.raises(Unavailable):
        await slots.take(ALICE, None)
    slots.free(ALICE, None)
    await slots.take(ALICE, None)
    assert slots.waiting == 0


async def test_the_repeat_of_a_call_in_flight_has_less_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(post_slots, "REPEAT_PATIENCE_SECONDS", 0.01)
    slots = await both_taken(key="k")
    waiting = asyncio.ensure_future(slots.take(ALICE, "other"))
    with pytest.raises(Unavailable):
        await slots.take(ALICE, "k")
    assert not waiting.done()
    slots.free(ALICE, "k")
    await waiting


async def test_a_bounded_number_of_posts_may_wait() -> None:
    slots = await both_taken(room=1)
    waiting = asyncio.ensure_future(slots.take(ALICE, None))
    await settled()
    with pytest.raises(Unavailable, match="Too many"):
        await slots.take(ALICE, None)
    # it should accept a post that need not wait
    await slots.take(BOB, None)
    slots.free(ALICE, None)
    await waiting

"""How the api tells the limiter of posts that do not wait for it: together, soon, and all before it stops."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import pytest
import redis

from services.api import limiter_client, telling
from services.api.limiter_client import LimiterClient
from services.api.telling import Telling, Told
from services.board.contract.checks import CHECKS_MAX, TOLD_SECONDS, Check
from services.board.process import breaker
from services.board.process.breaker import FAILURES
from tests.limiter.processes import PatientLimiter
from tests.limiter.test_limiter_client import SOON, Asker, frozen

HOUR = 3600
A_LITTLE = 0.1


class Teller(Telling):
    """A way to tell, with what was noted: when it was asked, and what was told together."""

    def __init__(self, limiter: LimiterClient) -> None:
        self.noted: list[tuple[float, Sequence[Told]]] = []
        super().__init__(limiter, lambda *noted: self.noted.append(noted))

    @property
    def sizes(self) -> list[int]:
        return [len(batch) for _, batch in self.noted]


@pytest.fixture
async def asker(limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Asker]:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)
    asker = Asker(limiter.url)
    await asker.start()
    yield asker
    await asker.close()


@pytest.fixture
async def teller(asker: Asker) -> AsyncIterator[Teller]:
    teller = Teller(asker)
    yield teller
    await teller.close()


def check(key: str = "alice", number: int = 0) -> Check:
    return Check("votes", key, f"id-{number}")


async def test_what_is_told_goes_together_a_little_later_and_has_one_answer(
    asker: Asker, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "GATHER_SECONDS", 1)
    began = time.monotonic()
    told = [teller.tell(check("bob"))]
    # it should keep nobody waiting who does
    assert await asker.check(check()) is not None
    for number in range(1, 10):
        told.append(teller.tell(check("bob", number)))
        await asyncio.sleep(0.001)
    await told[0].answered
    assert [one.verdict and one.verdict.remaining for one in told] == list(range(119, 109, -1))
    assert asker.requests == 2
    # it should be noted with when the limiter was asked, not with when the first was told
    ((asked_at, batch),) = teller.noted
    assert list(batch) == told
    assert began + 0.9 < asked_at <= time.monotonic()
    # it should go on with the next ones
    again = teller.tell(check("bob", 10))
    await again.answered
    assert again.verdict is not None
    assert teller.sizes == [10, 1]


async def test_more_than_one_list_takes_does_not_wait(
    asker: Asker, teller: Teller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "GATHER_SECONDS", HOUR)
    told = [teller.tell(check(f"agent {number}")) for number in range(CHECKS_MAX + 1)]
    async with asyncio.timeout(SOON):
        await told[CHECKS_MAX - 1].answered
    assert teller.sizes == [CHECKS_MAX]
    assert not told[CHECKS_MAX].answered.done()
    assert teller.gathered == [told[CHECKS_MAX]]


async def test_what_is_told_last_is_known_in_time_for_a_change_of_the_rate() -> None:
    assert telling.GATHER_SECONDS + limiter_client.ANSWER_SECONDS + A_LITTLE < TOLD_SECONDS


async def test_a_limiter_that_is_away_is_told_of_nothing(
    limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "PAUSE_SECONDS", HOUR)
    asker = Asker(limiter.url)
    await asker.start()
    teller = Teller(asker)
    with frozen(limiter):
        for number in range(FAILURES):
            told = teller.tell(check(number=number))
            await told.answered
            assert told.verdict is None
        assert asker.breaker.open
        # it should be noted all the same, and nobody asked
        monkeypatch.setattr(asker, "ask", None)
        told = teller.tell(check())
        await told.answered
        assert told.verdict is None
    assert teller.sizes == [1] * (FAILURES + 1)
    await teller.close()
    await asker.close()


async def test_what_was_to_be_told_is_told_before_it_is_closed(
    asker: Asker, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "GATHER_SECONDS", 0.2)
    monkeypatch.setattr(limiter_client, "CLOSE_SECONDS", 60)
    teller = Teller(asker)
    note = teller.note

    def release_last(asked_at: float, batch: Sequence[Told]) -> None:
        note(asked_at, batch)
        asker.release(batch[-1].check)

    # what the verdict makes known to be unused should be given back as well
    teller.note = release_last
    kept, unused = teller.tell(check()), teller.tell(check("bob"))
    await teller.close()
    assert kept.answered.done()
    assert kept.answered is unused.answered
    await asker.close()
    assert store.keys("limit:*") == [b"limit:votes:alice"]
    # it should not be sent again
    assert teller.gathered == []
    await asyncio.sleep(0.3)
    assert teller.sizes == [2]


async def test_a_limiter_that_does_not_answer_holds_nobody_up_who_closes(limiter: PatientLimiter) -> None:
    asker = Asker(limiter.url)
    await asker.start()
    teller = Teller(asker)
    assert await asker.answers()
    with frozen(limiter):
        told = teller.tell(check())
        async with asyncio.timeout(SOON):
            await teller.close()
            await asker.close()
    assert told.answered.done()
    assert told.verdict is None
    # it should tell nobody any more, and say so
    late = teller.tell(check())
    await teller.close()
    assert late.verdict is None
    assert teller.sizes == [1, 1]

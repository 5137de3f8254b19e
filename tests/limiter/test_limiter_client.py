"""How the api asks the limiter: together, on a connection that is kept, and without ever waiting long."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import redis

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.board.contract.checks import CHECKS_MAX, Check
from services.board.process.breaker import PAUSE_SECONDS
from services.board.process.metrics import Registry
from tests.limiter.processes import PatientLimiter
from tests.load import together
from tests.log.locks import until

SOON = 10.0


def check(key: str = "alice", number: int = 0, policy: str = "votes") -> Check:
    return Check(policy, key, f"id-{number}")


@contextlib.contextmanager
def frozen(limiter: PatientLimiter) -> Iterator[None]:
    """While the block lasts, the limiter does nothing."""
    limiter.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        limiter.signal(signal.SIGCONT)


class Asker(LimiterClient):
    """A client with metrics of its own."""

    def __init__(self, url: str) -> None:
        self.registry = Registry()
        super().__init__(url, self.registry)

    @property
    def requests(self) -> int:
        """How many requests have been answered."""
        text = self.registry.exposition()[0].decode()
        return int(float(text.rpartition("agent_board_limiter_request_checks_count ")[2].split()[0]))


@pytest.fixture
async def asker(limiter: PatientLimiter) -> AsyncIterator[Asker]:
    asker = Asker(limiter.url)
    await asker.start()
    yield asker
    await asker.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client waits as long as it takes."""
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)


async def test_all_that_wait_go_in_one_request_and_each_gets_its_own(patient: None, asker: Asker) -> None:
    agents = [number % 40 for number in range(400)]
    verdicts = await together(asker.check(check(f"agent {agent}", number)) for number, agent in enumerate(agents))
    seen = [0] * 40
    for agent, verdict in zip(agents, verdicts, strict=True):
        seen[agent] += 1
        assert verdict is not None
        assert verdict.remaining == 120 - seen[agent]
    # it should have asked as rarely as the length of a list allows: the first alone at most
    assert asker.requests <= 1 + -(-400 // CHECKS_MAX)


async def test_two_requests_at_most_are_under_way_and_who_comes_later_goes_together(
    patient: None, asker: Asker, limiter: PatientLimiter
) -> None:
    with frozen(limiter):
        bursts = []
        for burst in range(4):
            bursts += [asyncio.create_task(asker.check(check(number=10 * burst + n))) for n in range(5)]
            await asyncio.sleep(0.05)
        assert len(asker.senders) == 2
        assert len(asker.waiting) == 10
    assert None not in await together(bursts)
    assert asker.requests == 3


async def test_the_connection_is_kept(patient: None, asker: Asker, limiter: PatientLimiter) -> None:
    assert asker.session is not None
    for number in range(20):
        assert await asker.check(check(number=number))
    assert asker.requests == 20
    pool = asker.session.connector._conns  # type: ignore[union-attr]
    assert sum(len(connections) for connections in pool.values()) == 1


async def test_what_is_released_is_free_again(
    patient: None, asker: Asker, limiter: PatientLimiter, store: redis.Redis
) -> None:
    for number in range(300):
        await asker.check(check(f"agent {number}", number))
    for number in range(300):
        asker.release(check(f"agent {number}", number))

    async def all_released() -> bool:
        return not store.keys("limit:*")

    await until(all_released)


async def test_a_limiter_that_does_not_answer_is_not_waited_for(
    asker: Asker, limiter: PatientLimiter, patient_start: None
) -> None:
    assert await asker.answers()
    with frozen(limiter):
        async with asyncio.timeout(SOON):
            # it should go on without an answer, for those that wait behind the first as well
            for _ in range(3):
                assert set(await together(asker.check(check(number=number)) for number in range(5))) == {None}
            # it should not even ask any more
            assert asker.breaker.open
            assert await asker.check(check()) is None
            asker.release(check())
            assert asker.releasing is None

    async def answers() -> bool:
        return await asker.check(check()) is not None

    # it should notice by itself when it is back
    async with asyncio.timeout(SOON + 10 * PAUSE_SECONDS):
        await until(answers)
    assert not asker.breaker.open


@pytest.fixture
async def patient_start(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that stands, and the client's real haste from then on."""
    with monkeypatch.context() as context:
        context.setattr(limiter_client, "ANSWER_SECONDS", 60)
        assert await asker.check(check()) is not None


async def test_nobody_there_is_away_at_once() -> None:
    asker = Asker("http://127.0.0.1:1")
    await asker.start()
    async with asyncio.timeout(SOON):
        assert not await asker.answers()
        for _ in range(5):
            assert await asker.check(check()) is None
    assert asker.breaker.open
    await asker.close()


@pytest.mark.parametrize("path", ["/nowhere", "/check"])
async def test_an_answer_that_is_no_list_of_verdicts_is_away(patient: None, limiter: PatientLimiter, path: str) -> None:
    # it should be so for a refusal, and for an answer of another shape
    asker = Asker(limiter.url if path == "/nowhere" else f"http://127.0.0.1:{limiter.operator_port}")
    await asker.start()
    bad = Check("reads", "alice", "a")
    assert await asker.check(bad if path == "/nowhere" else check()) is None
    assert asker.breaker.allows()
    await asker.close()


async def test_who_hangs_up_takes_nobody_along(patient: None, asker: Asker) -> None:
    calls = [asyncio.ensure_future(asker.check(check(f"agent {number}", number))) for number in range(100)]
    await asyncio.sleep(0)
    for call in calls[::2]:
        call.cancel()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results[::2])
    assert all(result is not None and not isinstance(result, BaseException) for result in results[1::2])


async def test_it_is_closed_while_somebody_waits(
    limiter: PatientLimiter, start_limiter: Callable[..., PatientLimiter]
) -> None:
    asker = Asker(limiter.url)
    await asker.start()
    with frozen(limiter):
        waiting = [asyncio.ensure_future(asker.check(check(number=number))) for number in range(5)]
        await asyncio.sleep(0)
        await asker.close()
        async with asyncio.timeout(SOON):
            assert await asyncio.gather(*waiting) == [None] * 5

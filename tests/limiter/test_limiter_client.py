"""API processes send the limiter lists of checks over a persistent connection, and never wait long for the answer."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Iterator

import pytest
import redis
from prometheus_client import generate_latest

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import CHECKS_MAX, Check
from services.process.breaker import PAUSE_SECONDS
from services.process.metrics import Registry
from tests.limiter.processes import PatientLimiter
from tests.load import together
from tests.metrics import metric
from tests.posts.locks import until

SOON = 10.0


def check(key: str = "alice", number: int = 0, policy: str = "votes") -> Check:
    return Check(policy, key, f"id-{number}", 120, 60)


@contextlib.contextmanager
def frozen(limiter: PatientLimiter) -> Iterator[None]:
    """Freeze the limiter for the duration of the block."""
    limiter.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        limiter.signal(signal.SIGCONT)


class Asker(LimiterClient):
    """A client with its own metrics."""

    def __init__(self, url: str) -> None:
        self.registry = Registry()
        super().__init__(url, self.registry)

    @property
    def requests(self) -> int:
        """Return how many requests have been answered."""
        text = generate_latest(self.registry).decode()
        return int(float(text.rpartition("agent_board_limiter_answer_seconds_count ")[2].split()[0]))


@pytest.fixture
async def asker(limiter: PatientLimiter) -> AsyncIterator[Asker]:
    asker = Asker(limiter.url)
    yield asker
    await asker.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client wait as long as it takes."""
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)


async def test_checks_that_wait_go_in_one_request_and_each_gets_its_own_verdict(patient: None, asker: Asker) -> None:
    agents = [number % 40 for number in range(400)]
    verdicts = await together(asker.check(check(f"agent {agent}", number)) for number, agent in enumerate(agents))
    left: dict[int, set[int]] = {agent: set() for agent in range(40)}
    for agent, verdict in zip(agents, verdicts, strict=True):
        assert verdict is not None
        left[agent].add(verdict.remaining)
    # two requests are in flight, so either may be decided first
    assert left == {agent: set(range(110, 120)) for agent in range(40)}
    assert asker.requests == -(-400 // CHECKS_MAX)


async def test_a_fault_of_the_client_costs_a_verdict_and_the_next_checks_are_decided(
    patient: None, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> bytes:
        raise RuntimeError("a fault of the board")

    with monkeypatch.context() as broken:
        broken.setattr(asker, "post", fail)
        assert await asker.check(check("faulty")) is None
        asker.breaker.succeeded()
        asker.release(check("faulty"))
        await asker.releases.join()
    asker.breaker.succeeded()
    assert await asker.check(check("faultless")) is not None
    # it should send later releases
    asker.release(check("faultless"))
    await asker.releases.join()
    for task in ("limiter-checks", "limiter-releases"):
        assert metric(asker.registry, f'agent_board_background_errors_total{{task="{task}"}}') == 1


async def test_releases_are_sent_before_it_is_closed(
    patient: None, limiter: PatientLimiter, store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiter_client, "CLOSE_SECONDS", 60)
    asker = Asker(limiter.url)
    for key in ("alice", "bob"):
        assert await asker.check(check(key))
    asker.release(check("bob"))
    await asker.close()
    assert store.keys("limit:*") == [b"limit:votes:alice"]


async def test_a_limiter_that_does_not_answer_is_not_waited_for(
    asker: Asker, limiter: PatientLimiter, patient_start: None
) -> None:
    assert await asker.answers()
    with frozen(limiter):
        async with asyncio.timeout(SOON):
            # it should continue without a verdict, for the checks in the queue as well
            for _ in range(3):
                assert set(await together(asker.check(check(number=number)) for number in range(5))) == {None}

            async def open() -> bool:
                return asker.breaker.open

            await until(open)
            # it should stop asking
            requests = asker.checks.in_flight
            assert await asker.check(check()) is None
            assert asker.checks.in_flight == requests
            asker.release(check())
            assert asker.releases.waiting == 0
            # operators should see it
            assert metric(asker.registry, "agent_board_limiter_breaker_open") == 1

    async def answers() -> bool:
        return await asker.check(check()) is not None

    # it should notice by itself when the limiter is back
    async with asyncio.timeout(SOON + 10 * PAUSE_SECONDS):
        await until(answers)
    assert metric(asker.registry, "agent_board_limiter_breaker_open") == 0


@pytest.fixture
async def patient_start(asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Establish a connection; only then does the client's real timeout apply."""
    with monkeypatch.context() as context:
        context.setattr(limiter_client, "ANSWER_SECONDS", 60)
        assert await asker.check(check()) is not None


@pytest.mark.parametrize("path", ["/nowhere", "/check"])
async def test_an_answer_that_is_no_list_of_verdicts_counts_as_none(
    patient: None, limiter: PatientLimiter, path: str
) -> None:
    # the same should hold for a refusal, and for an answer of another form
    asker = Asker(limiter.url if path == "/nowhere" else f"http://127.0.0.1:{limiter.operator_port}")
    bad = Check("votes", "ALICE", "a", 120, 60)
    assert await asker.check(bad if path == "/nowhere" else check()) is None
    assert asker.breaker.allows()
    await asker.close()

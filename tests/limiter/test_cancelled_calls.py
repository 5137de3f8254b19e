"""Thousands of calls are cancelled, and no other call ever gets the answer of a cancelled one.

Each agent's window holds a different number of calls, so a verdict shows which agent it belongs to.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import redis

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import Check
from services.limiter import window
from services.limiter.window import Windows, window_key
from services.local.valkey import Valkey
from services.process.metrics import Registry
from tests.limiter.processes import PatientLimiter

AGENTS = 400
AT_ONCE = 200
QUOTA = 600

# returns how many of an agent's calls count
Count = Callable[[Check], Awaitable[int | None]]


def check(agent: int) -> Check:
    """Return a check that is already counted, so that asking changes nothing."""
    return Check("votes", f"agent {agent}", "0", QUOTA, 60)


@pytest.fixture
def windows_of_agents(store: redis.Redis) -> None:
    """Give agent n n + 1 calls in its window."""
    seconds, microseconds = store.time()
    now = seconds * 1_000_000 + microseconds
    for agent in range(AGENTS):
        # they are an hour in the future, so that none leaves its window during the test
        calls = {str(number): now + 3_600_000_000 for number in range(agent + 1)}
        store.zadd(window_key("votes", f"agent {agent}"), calls)


async def by_command(url: str, _: str) -> AsyncIterator[Count]:
    """One Redis command per call, over a few connections."""
    windows = Windows(url)

    async def count(asked: Check) -> int | None:
        (decided,) = await windows.decide([asked])
        return decided.used

    yield count
    await windows.close()


async def over_http(_: str, limiter_url: str) -> AsyncIterator[Count]:
    """The whole path, as API processes use it."""
    client = LimiterClient(limiter_url, Registry())

    async def count(asked: Check) -> int | None:
        verdict = await client.check(asked)
        return None if verdict is None else verdict.limit - verdict.remaining

    yield count
    await client.close()


SHORT = [(over_http, 2_000), (by_command, 1_000)]
LONG = [(over_http, 100_000), (by_command, 20_000)]


@pytest.mark.parametrize(("way", "enough"), [*SHORT, *(pytest.param(*row, marks=pytest.mark.slow) for row in LONG)])
async def test_no_reply_ever_reaches_the_wrong_caller(
    way: Callable[[str, str], AsyncIterator[Count]],
    enough: int,
    valkey: Valkey,
    limiter: PatientLimiter,
    windows_of_agents: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)
    monkeypatch.setattr(window, "ANSWER_SECONDS", 60)
    chance = random.Random(way.__name__)
    cancelled = answered = 0
    async for count in way(valkey.url(), limiter.url):
        while cancelled < enough:
            agents = [chance.randrange(AGENTS) for _ in range(AT_ONCE)]
            calls = [asyncio.ensure_future(count(check(agent))) for agent in agents]
            for call in chance.sample(calls, AT_ONCE * 3 // 4):
                if chance.random() < 0.05:
                    await asyncio.sleep(chance.choice([0, 0, 0, 0.0005]))
                call.cancel()
            for agent, result in zip(agents, await asyncio.gather(*calls, return_exceptions=True), strict=True):
                if isinstance(result, asyncio.CancelledError):
                    cancelled += 1
                else:
                    answered += 1
                    assert result == agent + 1
    # it should answer the calls that were not cancelled
    assert answered >= enough // 4

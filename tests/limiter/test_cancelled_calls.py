"""Thousands of commands to Redis are cancelled, and no other ever gets the reply to a cancelled one.

Each agent's window holds a different number of calls, so a decision shows which agent it belongs to.
"""

import asyncio
import random

import pytest
import redis

from services.contract.checks import Check
from services.limiter.window import Windows, window_key
from services.local.valkey import Valkey

AGENTS = 400
AT_ONCE = 200
QUOTA = 600


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


@pytest.mark.parametrize("enough", [1_000, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_no_reply_ever_reaches_the_wrong_caller(enough: int, valkey: Valkey, windows_of_agents: None) -> None:
    chance = random.Random(enough)
    windows = Windows(valkey.url())
    cancelled = answered = 0
    while cancelled < enough:
        agents = [chance.randrange(AGENTS) for _ in range(AT_ONCE)]
        calls = [asyncio.ensure_future(windows.decide([check(agent)])) for agent in agents]
        for call in chance.sample(calls, AT_ONCE * 3 // 4):
            if chance.random() < 0.05:
                await asyncio.sleep(chance.choice([0, 0, 0, 0.0005]))
            call.cancel()
        for agent, result in zip(agents, await asyncio.gather(*calls, return_exceptions=True), strict=True):
            if isinstance(result, asyncio.CancelledError):
                cancelled += 1
            else:
                answered += 1
                assert not isinstance(result, BaseException)
                assert result[0].used == agent + 1
    await windows.close()
    # it should answer the calls that were not cancelled
    assert answered >= enough // 4

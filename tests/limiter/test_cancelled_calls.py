"""100,000 calls are cancelled: each takes its own answer away, and nobody ever gets another's.

Each agent's window holds another number of calls, so that a verdict tells whose it is.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
import redis

from deploy.local.valkey import Valkey
from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.board.contract.checks import Check
from services.board.process.metrics import Registry
from services.limiter import window
from services.limiter.limiter import Limiter
from services.limiter.policies import Policies, Policy
from services.limiter.window import Windows, window_key
from tests.limiter.processes import PatientLimiter

AGENTS = 400
AT_ONCE = 200
QUOTA = 600
POLICIES = {"acks": Policy("acks", QUOTA, 60)}

# how many calls count of an agent, by one way or another
Count = Callable[[Check], Awaitable[int | None]]


def check(agent: int) -> Check:
    """A check that counts already, so that asking changes nothing."""
    return Check("acks", f"agent {agent}", "0")


@pytest.fixture
def windows_of_agents(store: redis.Redis) -> None:
    """Agent n has n + 1 calls in its window."""
    seconds, microseconds = store.time()
    now = seconds * 1_000_000 + microseconds
    for agent in range(AGENTS):
        # they are an hour young, so that none leaves its window meanwhile
        calls = {str(number): now + 3_600_000_000 for number in range(agent + 1)}
        store.zadd(window_key("acks", f"agent {agent}"), calls)


async def by_command(url: str, _: str) -> AsyncIterator[Count]:
    """One command of Redis each, over the few connections that there are."""
    windows = Windows(url)

    async def count(asked: Check) -> int | None:
        judged = await windows.judge(0, POLICIES, [asked])
        return judged[0].used if judged else None

    yield count
    await windows.close()


async def by_reading(url: str, _: str) -> AsyncIterator[Count]:
    """As an operator looks at a window."""
    windows = Windows(url)

    async def count(asked: Check) -> int | None:
        return len((await windows.read(asked.policy, asked.key))[1])

    yield count
    await windows.close()


async def by_decision(url: str, _: str) -> AsyncIterator[Count]:
    """All that wait in one command."""
    windows = Windows(url)
    limiter = Limiter(windows, Policies(), Registry())

    async def count(asked: Check) -> int | None:
        (verdict,) = await limiter.check([asked])
        return verdict.limit - verdict.remaining

    yield count
    await windows.close()


async def over_http(_: str, limiter_url: str) -> AsyncIterator[Count]:
    """All the way, as the api asks."""
    client = LimiterClient(limiter_url, Registry())
    await client.start()

    async def count(asked: Check) -> int | None:
        verdict = await client.check(asked)
        return None if verdict is None else verdict.limit - verdict.remaining

    yield count
    await client.close()


@pytest.mark.parametrize(
    ("way", "enough"), [(over_http, 100_000), (by_decision, 100_000), (by_command, 20_000), (by_reading, 5_000)]
)
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
    # it should have gone on answering those that were not cancelled
    assert answered >= enough // 4

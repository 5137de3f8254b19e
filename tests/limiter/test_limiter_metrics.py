"""The metrics of the limiter and of the API processes that call it, by value."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable

import pytest
import redis
from prometheus_client.parser import text_string_to_metric_families

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import Check
from services.process.metrics import Registry
from tests.limiter.posting import BoardRates
from tests.limiter.processes import PatientLimiter
from tests.limiter.test_checks import checks
from tests.metrics import metric
from tests.processes import ApiProcess
from tests.web import Web


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
async def asker(
    limiter: PatientLimiter, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[LimiterClient]:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)
    client = LimiterClient(limiter.url, registry)
    yield client
    await client.close()


async def test_requests_to_the_limiter_are_counted_with_their_times(asker: LimiterClient, registry: Registry) -> None:
    verdicts = await asyncio.gather(*(asker.check(Check("votes", "alice", f"id-{n}", 120, 60)) for n in range(5)))
    assert None not in verdicts
    assert 1 <= metric(registry, "agent_board_limiter_answer_seconds_count") <= 2
    assert 0 < metric(registry, "agent_board_limiter_answer_seconds_sum") < 60


def test_limited_calls_are_counted_by_policy_and_verdict(
    api: ApiProcess, limiter: PatientLimiter, rates: BoardRates
) -> None:
    rates.set("votes", 2)
    before = throttled(api)
    with Web(api.url) as web:
        alice = web.register("alice")
        thread = alice.thread()
        answers = [alice.post(f"/api/posts/{thread['id']}/vote", {"value": value}) for value in (1, -1, 1)]
    assert [answer.status for answer in answers] == [200, 200, 429]
    # other tests may have made calls of the same process
    added = throttled(api) - before
    assert added["agent_board_throttle_calls_total", "votes", "allowed"] == 2
    assert added["agent_board_throttle_calls_total", "votes", "denied"] == 1
    assert added["agent_board_throttle_calls_total", "registrations", "allowed"] == 1


def throttled(api: ApiProcess) -> Counter[tuple[str, ...]]:
    """Return how many calls a process has limited, by the metric's name, policy and verdict."""
    families = text_string_to_metric_families(api.operator("/metrics")[1])
    samples = [sample for family in families for sample in family.samples if "policy" in sample.labels]
    return Counter({(one.name, one.labels["policy"], one.labels.get("verdict", "")): int(one.value) for one in samples})


def test_decisions_are_measured_and_survive_the_loss_of_the_script(
    start_limiter: Callable[..., PatientLimiter], store: redis.Redis
) -> None:
    limiter = start_limiter()
    limiter.check(*checks(12), *checks(1, "votes"))
    assert metric(limiter, "agent_board_limit_decision_seconds_count") == 1
    assert metric(limiter, "agent_board_limit_breaker_open") == 0
    # it should go on when Redis has lost the script
    store.script_flush()
    assert limiter.check(*checks(1, "votes", first=1))[0]["remaining"] == 118

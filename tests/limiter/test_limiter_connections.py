"""The connections between API processes and limiters: none is kept beyond its use, and no check is lost with one."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import Check
from services.limiter.app import KEEP_ALIVE_SECONDS
from services.process.metrics import Registry
from tests.limiter.processes import LimiterProcess, PatientLimiter
from tests.posts.locks import until

SECONDS = 60


@asynccontextmanager
async def patient_client(limiter: LimiterProcess, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[LimiterClient]:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", SECONDS)
    client = LimiterClient(limiter.url, Registry())
    yield client
    await client.close()


async def test_a_kept_connection_that_the_limiter_has_just_closed_costs_no_verdict(
    limiter: PatientLimiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with patient_client(limiter, monkeypatch) as client:
        for number in range(5):
            assert await client.check(Check("votes", "alice", str(number), 120, 60))
            # the limiter ends its connections while the next check is on its way
            limiter.signal(signal.SIGSTOP)
            asking = client.checks.put(Check("votes", "alice", f"late-{number}", 120, 60)).future

            async def asked() -> bool:
                return client.checks.in_flight == 1

            await until(asked)
            limiter.kill()
            limiter.start()
            assert await asking is not None


def test_idle_connections_are_closed_before_the_limiter_would_close_them() -> None:
    assert limiter_client.IDLE_SECONDS < KEEP_ALIVE_SECONDS

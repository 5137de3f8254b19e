"""The limiter as a process: it is ready when it can decide, and stops without failing a check."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis

from services.api import limiter_client
from services.api.limiter_client import LimiterClient
from services.contract.checks import Check
from services.local.valkey import Valkey
from services.process.metrics import Registry
from tests.limiter.processes import LimiterProcess, PatientLimiter
from tests.posts.locks import until

CHECK = {"policy": "votes", "key": "alice", "id": "a", "quota": 120, "window": 60}


async def test_a_rolling_restart_fails_no_check(
    start_limiter: Callable[..., PatientLimiter], store: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiter_client, "ANSWER_SECONDS", 60)
    shared = {"REUSE_PORT": "true", "DRAIN_NOTICE_SECONDS": "2"}
    first = start_limiter(**shared)
    client = LimiterClient(first.url, Registry())
    verdicts: list[object] = []
    enough = asyncio.Event()

    async def ask(number: int) -> None:
        while not enough.is_set():
            verdicts.append(await client.check(Check("votes", f"agent {number} {len(verdicts)}", "a", 120, 60)))

    askers = [asyncio.create_task(ask(number)) for number in range(5)]
    for _ in range(2):
        second = start_limiter(LIMITER_PORT=str(first.port), **shared)
        first.running.terminate()
        assert await asyncio.to_thread(first.running.wait, 60) == 0
        await until_more(verdicts)
        first = second
    enough.set()
    await asyncio.gather(*askers)
    assert None not in verdicts
    await client.close()


async def until_more(verdicts: list[object]) -> None:
    """Return when a hundred more checks have been decided."""
    goal = len(verdicts) + 100

    async def reached() -> bool:
        return len(verdicts) >= goal

    await until(reached)


def test_the_password_of_redis_is_in_no_log_and_no_answer(valkey: Valkey, tmp_path: Path) -> None:
    wrong = urlsplit(valkey.url())._replace(netloc=f":hunter2@127.0.0.1:{valkey.port}").geturl()
    limiter = LimiterProcess(wrong, tmp_path)
    try:
        limiter.launch()
        while limiter.operator("/readyz") == (0, ""):
            assert limiter.running.poll() is None
        status, problem = limiter.post("/check", [CHECK])
        assert status == 503
        # the answer may come before Redis has refused the password
        while "AuthenticationError" not in limiter.log.read_text():
            limiter.post("/check", [CHECK])
    finally:
        limiter.stop()
    assert "hunter2" not in limiter.log.read_text() + str(problem)

"""check_health: GET /api/health (interface 12.3)."""

import asyncio
import time
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from services.board.database.connections import probing_connection
from services.board.overview import health
from services.contract.operations import ADDITIONS, INTERFACE_VERSION
from services.local.postgresql import PostgreSQL
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.proxy import Proxy
from tests.web import Web

HEALTH = "/api/health"
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())


def test_health_says_what_works(web: Web) -> None:
    answer = web.get(HEALTH)
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Content-Type"] == "application/json"
    # it should be degraded: this board has no limiter
    health = answer.json
    assert abs(health.pop("time") - time.time()) < 60
    assert health == {
        "status": "degraded", "service": "ok", "database": "ok", "limiter": "unavailable", "frozen": None,
        "version": INTERFACE_VERSION,
        "additions": ADDITIONS, "release": PROJECT["project"]["version"],
    }  # fmt: skip


async def test_all_checks_that_wait_share_a_query_on_one_connection_that_is_replaced_when_it_is_silent(
    postgresql: PostgreSQL, shared_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "CHECK_SECONDS", 60)
    async with Proxy(postgresql.port) as proxy:
        probe = health.Probe(lambda: probing_connection(proxy.url(shared_database)))
        assert await asyncio.gather(*(probe.answers() for _ in range(100))) == [True] * 100
        assert len(proxy.links) == 1
        proxy.freeze()
        monkeypatch.setattr(health, "CHECK_SECONDS", 0.2)
        assert not await probe.answers()
        monkeypatch.setattr(health, "CHECK_SECONDS", 60)
        assert await probe.answers()
        await probe.close()


def test_without_the_database_health_is_down_and_comes_back(
    start_api: Callable[..., ApiProcess], database: str, postgresql: object
) -> None:
    api = start_api()
    name = database.rpartition("/")[2]
    with Operator(database.removesuffix(name) + "postgres") as operator, Web(api.url) as web:
        assert web.get(HEALTH).status == 200
        operator.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        operator.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        answer = web.get(HEALTH)
        # it should report this in its own format, not as a problem, and never answer 304
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert (answer.json["status"], answer.json["database"]) == ("down", "unavailable")
        assert answer.headers["Content-Type"] == "application/json"
        assert web.get(HEALTH, headers={"If-None-Match": "*"}).status == 503
        # it should recover without a restart
        operator.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        assert web.get(HEALTH).status == 200

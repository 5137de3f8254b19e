"""check_health: GET /api/health (decisions 1.16)."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from services.board.contract.operations import INTERFACE_VERSION
from services.board.health import check
from tests.operations.hand import Operator
from tests.processes import ApiProcess
from tests.web import Web

HEALTH = "/api/health"
README = Path(__file__).parents[2] / "README.md"


def test_health_says_what_works(web: Web) -> None:
    answer = web.get(HEALTH)
    assert (answer.status, answer.effect) == (200, "none")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Content-Type"] == "application/json"
    # it should be degraded: this board has no limiter
    health = answer.json
    assert abs(health.pop("time") - time.time()) < 60
    assert health == {
        "status": "degraded", "service": "ok", "database": "ok", "limiter": "unavailable", "version": INTERFACE_VERSION,
    }  # fmt: skip


def test_its_tag_leaves_the_time_out(web: Web) -> None:
    first, second = web.get(HEALTH), web.get(HEALTH)
    assert first.json["time"] < second.json["time"]
    assert first.headers["ETag"] == second.headers["ETag"]
    assert web.get(HEALTH, headers={"If-None-Match": first.headers["ETag"]}).status == 304


def test_what_degraded_means_is_said_to_agents_and_to_operators(web: Web) -> None:
    summary = web.get("/openapi.json").json["paths"][HEALTH]["get"]["summary"]
    assert re.search("`degraded` means that the limiter alone is away, and every call still works", summary)
    readme = " ".join(README.read_text().split())
    assert re.search(r"`degraded` while the limiter or its Redis is away: [^.]*every call[^.]*other limits", readme)


class Failing:
    """A pool whose every query fails."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def fetchval(self, query: str) -> bool:
        raise self.error


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError(),
        ConnectionResetError(),
        TimeoutError(),
        asyncpg.AdminShutdownError(),
        asyncpg.TooManyConnectionsError(),
        asyncpg.ConnectionDoesNotExistError(),
        asyncpg.InterfaceError("closed"),
        asyncpg.InternalClientError("ended while idle"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_however_the_database_fails_it_is_unavailable(error: Exception) -> None:
    pool: Any = Failing(error)
    health = await check(pool, None)
    assert (health.status, health.database) == ("down", "unavailable")


@pytest.mark.parametrize(
    ("database", "limiter", "status"),
    [(True, True, "ok"), (True, False, "degraded"), (False, True, "down"), (False, False, "down")],
)
async def test_the_limiter_away_degrades_and_only_the_database_away_is_down(
    shared_database: str, database: bool, limiter: bool, status: str
) -> None:
    async def limiter_answers() -> bool:
        return limiter

    pool = await asyncpg.create_pool(shared_database, min_size=1, max_size=1)
    if not database:
        await pool.close()
    health = await check(pool, limiter_answers)
    assert health.status == status
    assert health.database == ("ok" if database else "unavailable")
    assert health.limiter == ("ok" if limiter else "unavailable")
    await pool.close()


def test_without_the_database_health_is_down_and_comes_back(
    start_api: Callable[..., ApiProcess], database: str, postgresql: object
) -> None:
    api = start_api()
    name = database.rpartition("/")[2]
    operator = Operator(database.removesuffix(name) + "postgres")
    with Web(api.url) as web:
        assert web.get(HEALTH).status == 200
        operator.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS false')
        operator.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
        answer = web.get(HEALTH)
        # it should say so itself, not as a problem, and never be a 304
        assert (answer.status, answer.headers["Retry-After"]) == (503, "1")
        assert (answer.json["status"], answer.json["database"]) == ("down", "unavailable")
        assert answer.headers["Content-Type"] == "application/json"
        assert web.get(HEALTH, headers={"If-None-Match": "*"}).status == 503
        # it should be well again without a restart
        operator.sql(f'ALTER DATABASE "{name}" ALLOW_CONNECTIONS true')
        assert web.get(HEALTH).status == 200

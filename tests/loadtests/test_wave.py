"""A wave of abuse on a real board: the alerts fire, the runbook ends it, and `undo` brings everything back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.local.postgresql import PostgreSQL
from tests.conftest import Reading
from tests.databases import create_database
from tests.loadtests.test_runs import LATENCIES, broken, run
from tests.processes import ApiProcess, FanoutProcess, started_together


@pytest.fixture
def database(postgresql: PostgreSQL) -> str:
    return create_database(postgresql, "wave")


@pytest.fixture
def processes(database: str, reading: Reading, tmp_path: Path) -> Iterator[tuple[ApiProcess, FanoutProcess]]:
    settings = {"READ_DATABASE_URL": reading(database), "LIMIT_POSTS": "10000/60", "TRUSTED_PROXIES": "127.0.0.0/8"}
    api, fanout = ApiProcess(database, tmp_path / "api", **settings), FanoutProcess(database, tmp_path / "fanout")
    with started_together([api, fanout]):
        yield api, fanout


@pytest.mark.slow
def test_an_operator_who_does_nothing_breaks_the_gates(
    processes: tuple[ApiProcess, FanoutProcess], tmp_path: Path
) -> None:
    api, _ = processes
    load = (f"--board={api.url}", "--profile=wave", "--seconds=36", "--every=4", "--fault=true")
    code, result, output = run(tmp_path / "results", *load)
    assert code == 1
    wanted = {"posts of a wave in sight", "posts of a wave that came too late"}
    assert broken(result) - LATENCIES == wanted, output

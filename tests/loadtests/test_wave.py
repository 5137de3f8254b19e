"""A wave of abuse on a real board: the alerts fire, the runbook ends it, and `undo` brings everything back."""

import json
import os
import re
import shlex
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest
import yaml

from services.local.ports import free_port
from services.local.postgresql import PostgreSQL
from tests.conftest import Reading
from tests.databases import create_database
from tests.loadtests.test_runs import LATENCIES, broken, run
from tests.observability.programs import Program, needed
from tests.processes import CHECKOUT, ApiProcess, FanoutProcess, started_together

RULES = CHECKOUT / "deploy/observability/prometheus/rules/abuse.yaml"
RUNBOOK = CHECKOUT / "deploy/observability/runbooks/Abuse.md"
FIRED = 'max_over_time(ALERTS{alertstate="firing"}[10m])'
STATES = """
SELECT (SELECT count(*) FROM posts WHERE hidden <> 0), (SELECT count(*) FROM agents WHERE suspended_at IS NOT NULL)
"""
SPAM = "SELECT (SELECT count(*) FROM posts WHERE author LIKE 'wave-%'), count(*) FROM agents WHERE name LIKE 'wave-%'"


@pytest.fixture
def database(postgresql: PostgreSQL) -> str:
    return create_database(postgresql, "wave")


@pytest.fixture
def processes(database: str, reading: Reading, tmp_path: Path) -> Iterator[tuple[ApiProcess, FanoutProcess]]:
    settings = {"READ_DATABASE_URL": reading(database), "LIMIT_POSTS": "10000/60", "TRUSTED_PROXIES": "127.0.0.0/8"}
    api, fanout = ApiProcess(database, tmp_path / "api", **settings), FanoutProcess(database, tmp_path / "fanout")
    with started_together([api, fanout]):
        yield api, fanout


@pytest.fixture
def prometheus(processes: tuple[ApiProcess, FanoutProcess], tmp_path: Path) -> Iterator[Program]:
    """A Prometheus that watches the fan-out every second with the rules on abuse."""
    _, fanout = processes
    jobs = [{"job_name": "fanout", "static_configs": [{"targets": [f"{fanout.host}:{fanout.operator_port}"]}]}]
    content = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(RULES)],
        "scrape_configs": jobs,
    }
    (configuration := tmp_path / "prometheus.yaml").write_text(yaml.safe_dump(content))
    command = [needed("prometheus"), f"--config.file={configuration}", f"--storage.tsdb.path={tmp_path / 'tsdb'}"]
    address = f"--web.listen-address=127.0.0.1:{(port := free_port())}"
    with Program([*command, address], port, tmp_path / "prometheus.log", "/-/ready") as server:
        yield server


def runbook_command(pattern: str) -> str:
    """Return the command of the runbook that suspends by the pattern of the names, with this pattern."""
    text = " ".join(RUNBOOK.read_text().split())
    line: str
    (line,) = re.findall(r"`(agent-board agents [^`]+ \| agent-board suspend [^`]+)`", text)
    program = shlex.join([sys.executable, "-m", "services.operator"])
    return line.replace("smith_*", pattern).replace("agent-board ", f"{program} ")


def operate(database: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "services.operator", *arguments]
    environment = {"PATH": os.environ["PATH"], "DATABASE_URL": database, "AGENT_BOARD_OPERATOR": "olga"}
    return subprocess.run(
        command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=True, timeout=600
    ).stdout


def fired(prometheus: Program) -> set[str]:
    query = urllib.parse.urlencode({"query": FIRED})
    with urllib.request.urlopen(f"{prometheus.url}/api/v1/query?{query}", timeout=30) as answer:
        return {one["metric"]["alertname"] for one in json.load(answer)["data"]["result"]}


async def states(database: str, query: str = STATES) -> tuple[int, int]:
    connection = await asyncpg.connect(database)
    try:
        hidden, suspended = await connection.fetchrow(query)
    finally:
        await connection.close()
    return hidden, suspended


@pytest.mark.slow
async def test_a_wave_is_seen_ended_and_brought_back(
    database: str, processes: tuple[ApiProcess, FanoutProcess], prometheus: Program, tmp_path: Path
) -> None:
    api, _ = processes
    command = runbook_command("wave-*")
    # twice, as the runbook asks: posts were published meanwhile
    operator = f"export DATABASE_URL='{database}' AGENT_BOARD_OPERATOR=olga; {command}; {command}"
    _, result, output = run(
        tmp_path / "results",
        f"--board={api.url}",
        "--profile=wave",
        "--seconds=120",
        "--every=8",
        f"--fault={operator}",
    )
    assert broken(result) <= LATENCIES, output
    assert {"RegistrationSurge", "YoungPostSurge"} <= fired(prometheus)
    # all of the wave, and nothing else
    posts, agents = await states(database, SPAM)
    assert agents == 80
    assert await states(database) == (posts, agents)
    batches = {
        json.loads(line)["batch"] for line in operate(database, "audit", "--limit", "9999", "--json").splitlines()
    }
    for batch in batches:
        operate(database, "undo", batch)
    assert await states(database) == (0, 0)


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

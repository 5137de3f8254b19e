"""A Prometheus scrapes a loader as README.md tells operators, and has what the dashboards ask for."""

import json
import re
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.observability.dashboards import LOAD_TEST
from deploy.observability.panels import ANNOTATIONS
from services.local.ports import free_port
from tests.loadtests.test_runs import broken, run
from tests.observability.programs import Program, needed
from tests.processes import CHECKOUT, ApiProcess

SCRAPE_JOB = re.compile(r"```yaml\n(- job_name: loadtest\n.*?)```", re.S)
ADDRESS = "loader.example:9646"
SECONDS = 8


@pytest.fixture
def loader() -> int:
    """The port at which the loader exposes its metrics."""
    return free_port()


@pytest.fixture
def prometheus(loader: int, tmp_path: Path) -> Iterator[Program]:
    """A Prometheus with the documented job for the loader, every second."""
    [job] = SCRAPE_JOB.findall((CHECKOUT / "loadtests/README.md").read_text())
    assert ADDRESS in job
    jobs = yaml.safe_load(job.replace(ADDRESS, f"127.0.0.1:{loader}"))
    jobs[0]["scrape_interval"] = jobs[0]["scrape_timeout"] = "1s"
    configuration = tmp_path / "prometheus.yaml"
    configuration.write_text(yaml.safe_dump({"scrape_configs": jobs}))
    port = free_port()
    command = [needed("prometheus"), f"--config.file={configuration}", f"--web.listen-address=127.0.0.1:{port}"]
    data = f"--storage.tsdb.path={tmp_path / 'prometheus'}"
    with Program([*command, data], port, tmp_path / "prometheus.log", "/-/ready") as server:
        yield server


@pytest.mark.slow
def test_prometheus_sees_a_load_test_from_its_start_to_its_end(
    board: ApiProcess, prometheus: Program, loader: int, tmp_path: Path
) -> None:
    began = time.time()
    _, result, output = run(tmp_path / "results", f"--board={board.url}", f"--seconds={SECONDS}", f"--expose={loader}")
    assert result, output
    until_gone(prometheus, "agent_board_load_users")
    assert broken(result).isdisjoint({"wrong answers"}), output

    def series(expression: str) -> list[dict[str, Any]]:
        return in_range(prometheus, expression, began, time.time())

    [users] = series("agent_board_load_users")
    assert {"job": "loadtest", "profile": "smoke"}.items() <= users["metric"].items()
    assert 0 < max(float(count) for _, count in users["values"]) <= 25
    [calls] = series('agent_board_load_calls_total{operation="read_home"}')
    seen, made = float(calls["values"][-1][1]), result["operations"]["read_home"]["calls"]
    # the result leaves out the warm-up, and the last calls may have come after the last scrape
    assert 0.5 * made < seen
    # the mark on every dashboard begins and ends with the run
    marks = {name: expression for name, expression, *_ in ANNOTATIONS}
    [mark] = series(marks["Load tests"])
    moments = [float(moment) for moment, _ in mark["values"]]
    assert began < min(moments)
    assert max(moments) - min(moments) > SECONDS / 2
    for panel in LOAD_TEST.panels:
        for query in panel.queries:
            assert series(query.expr.replace("$__rate_interval", "5s")), panel.title


def until_gone(prometheus: Program, metric: str) -> None:
    """Wait until Prometheus has seen that the loader has ended."""
    deadline = time.monotonic() + 60
    while in_range(prometheus, metric, now := time.time(), now):
        assert time.monotonic() < deadline, "the load test never ended"
        time.sleep(0.2)


def in_range(prometheus: Program, expression: str, start: float, end: float) -> list[dict[str, Any]]:
    """Return the series of an expression, with a value for each second."""
    query = urllib.parse.urlencode({"query": expression, "start": start, "end": end, "step": 1})
    with urllib.request.urlopen(f"{prometheus.url}/api/v1/query_range?{query}", timeout=60) as answer:
        found: list[dict[str, Any]] = json.load(answer)["data"]["result"]
        return found

"""Prometheus keeps exemplars of latencies: they lead from a slow bucket to the trace of a request."""

import json
import secrets
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.observability.dashboards import DASHBOARDS
from deploy.observability.panels import rendered
from services.local.ports import free_port
from tests.limiter.otlp import Collector
from tests.observability.expressions import filled
from tests.observability.programs import Program, needed
from tests.observability.stage import configured
from tests.processes import CHECKOUT, ApiProcess
from tests.waiting import wait_until
from tests.web import Web

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BUCKETS = 'agent_board_request_duration_seconds_bucket{operation="read_stats"}'
TRACED = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
TARGETS = [
    target
    for dashboard in DASHBOARDS
    for panel in json.loads(rendered(dashboard))["panels"]
    for target in panel["targets"]
]
ASKING = [filled(target["expr"]) for target in TARGETS if target["exemplar"]]


@pytest.fixture
def monitor(database: str, tmp_path: Path) -> Iterator[Program]:
    """A Prometheus that watches an API process, which has answered a read and a write of the trace."""
    needed("prometheus")
    with Collector() as collector:
        api = ApiProcess(database, tmp_path / "api", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        with api, prometheus(api, tmp_path) as monitor, Web(api.url) as web:
            assert web.get("/api/stats", headers=TRACED).status == 200
            fields = {"name": f"traced-{secrets.token_hex(4)}"}
            assert web.call("POST", "/api/agents/register", fields, headers=TRACED).status == 201
            yield monitor


def test_prometheus_leads_from_a_latency_to_the_trace_of_a_request(monitor: Program) -> None:
    wait_until(lambda: bool(exemplars(monitor, BUCKETS)))
    (found,) = exemplars(monitor, BUCKETS)
    assert found["seriesLabels"]["job"] == "api"
    (exemplar,) = found["exemplars"]
    assert exemplar["labels"] == {"trace_id": TRACE}
    assert 0 < float(exemplar["value"]) <= float(found["seriesLabels"]["le"])


def test_every_query_of_a_dashboard_that_asks_for_exemplars_gets_the_trace(monitor: Program) -> None:
    wait_until(lambda: all(TRACE in json.dumps(exemplars(monitor, expression)) for expression in ASKING))


def test_the_latencies_of_two_dashboards_ask_for_exemplars() -> None:
    assert len(ASKING) == 6
    assert not any(target["exemplar"] for target in TARGETS if "histogram_quantile" not in target["expr"])


def prometheus(api: ApiProcess, folder: Path) -> Program:
    """A Prometheus with the features of the one in compose.yaml, which scrapes an API process."""
    port, configuration = free_port(), folder / "prometheus.yaml"
    targets = {"api": f"127.0.0.1:{api.operator_port}"}
    configuration.write_text(yaml.safe_dump(configured(targets, api.url, str(folder / "no-rules.yaml"))))
    service = yaml.safe_load((CHECKOUT / "deploy/compose/compose.yaml").read_text())["services"]["prometheus"]
    features = [option for option in service["command"] if option.startswith("--enable-feature=")]
    command = [needed("prometheus"), f"--config.file={configuration}", f"--web.listen-address=127.0.0.1:{port}"]
    command += [f"--storage.tsdb.path={folder / 'prometheus'}", *features]
    return Program(command, port, folder / "prometheus.log", "/-/ready")


def exemplars(monitor: Program, expression: str) -> list[dict[str, Any]]:
    """The exemplars of what an expression selects, as the README of deploy/observability asks for them."""
    query = {"query": expression, "start": str(time.time() - 600), "end": str(time.time() + 60)}
    with urllib.request.urlopen(f"{monitor.url}/api/v1/query_exemplars?{urllib.parse.urlencode(query)}") as answer:
        return list(json.load(answer)["data"])

"""Prometheus keeps exemplars of latencies: they lead from a slow bucket to the trace of a request."""

import json
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from deploy.local.ports import free_port
from tests.limiter.otlp import Collector
from tests.observability.programs import Program, needed
from tests.observability.stage import configured
from tests.processes import CHECKOUT, ApiProcess
from tests.waiting import wait_until
from tests.web import Web

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
BUCKETS = 'agent_board_request_duration_seconds_bucket{operation="read_stats"}'


def test_prometheus_leads_from_a_latency_to_the_trace_of_a_request(database: str, tmp_path: Path) -> None:
    needed("prometheus")
    with Collector() as collector:
        api = ApiProcess(database, tmp_path / "api", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)
        with api, prometheus(api, tmp_path) as monitor, Web(api.url) as web:
            assert web.get("/api/stats", headers={"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}).status == 200
            wait_until(lambda: bool(exemplars(monitor)))
            (found,) = exemplars(monitor)
    assert found["seriesLabels"]["job"] == "api"
    (exemplar,) = found["exemplars"]
    assert exemplar["labels"] == {"trace_id": TRACE}
    assert 0 < float(exemplar["value"]) <= float(found["seriesLabels"]["le"])


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


def exemplars(monitor: Program) -> list[dict[str, Any]]:
    """The exemplars of one operation's latencies, as the README of deploy/observability asks for them."""
    query = {"query": BUCKETS, "start": str(time.time() - 600), "end": str(time.time() + 60)}
    with urllib.request.urlopen(f"{monitor.url}/api/v1/query_exemplars?{urllib.parse.urlencode(query)}") as answer:
        return list(json.load(answer)["data"])

"""The profile `observability` monitors the stack: each replica separately, and everything that rules and panels query.

Grafana is left out: there is no package from which to build an image.
"""

import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.observability.expressions import expressions, selectors
from tests.stack.make import Board
from tests.stack.prometheus import Prometheus, until
from tests.stack.traffic import Traffic

WATCHING = (
    "prometheus", "alertmanager", "postgres-exporter", "valkey-exporter", "node-exporter", "blackbox-exporter",
    "targets",
)  # fmt: skip
PAGE_SECONDS = 120
FETCH = "import urllib.request; print(urllib.request.urlopen('http://{}:{}').read().decode())"
FOREIGN = {"haproxy", "pg", "redis", "alertmanager", "node", "probe"}
"""How the metrics of HAProxy and of the exporters begin."""
RARE = {"probe_ssl_earliest_cert_expiry"}
"""Metrics that exist only with TLS."""
UNSEEN = {'mountpoint="/srv/', 'mountpoint=~"/srv/', 'status=~"5.."', 'status="503"'}
"""Values that these tests do not reliably cause."""
REPLICAS = {
    "api": 2, "limiter": 1, "fanout": 2, "haproxy": 1, "postgresql": 1, "valkey": 1, "host": 1, "probe": 1,
    "prometheus": 1, "alertmanager": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def prometheus(board: Board) -> Iterator[Prometheus]:
    """The profile, added to the running stack as the README describes."""
    profile = ("--profile", "observability")
    board.stack.compose(*profile, "up", "--detach", "--no-build", "--no-recreate", "--wait", *WATCHING)
    yield Prometheus(board)
    board.stack.compose(*profile, "rm", "--stop", "--force", "--volumes", *WATCHING)


def test_every_replica_is_a_target_and_all_answer(board: Board, prometheus: Prometheus) -> None:
    until(prometheus.replicas, REPLICAS)
    with board.settings(API_REPLICAS="3"):
        board.make("up")
        until(prometheus.replicas, {**REPLICAS, "api": 3})
    board.make("up")
    until(lambda: len(prometheus.values('up{job="api"} == 1')), 2)


@pytest.mark.parametrize("service", ["api", "limiter", "fanout"])
def test_a_replica_has_the_name_of_its_container(board: Board, prometheus: Prometheus, service: str) -> None:
    names = {each.name for each in board.containers(service)}
    until(lambda: {one["metric"]["instance"] for one in prometheus.values(f'up{{job="{service}"}} == 1')}, names)


def test_an_outage_of_the_load_balancer_pages_within_two_minutes(board: Board, prometheus: Prometheus) -> None:
    until(lambda: prometheus.values('probe_success{job="probe"} == 1') != [], True)
    assert prometheus.firing("BoardUnreachable", "NoProcessUp") == set()
    [haproxy] = board.containers("haproxy")
    board.stack.docker("stop", haproxy.id)
    stopped = time.monotonic()
    try:
        names = ("BoardUnreachable", "NoProcessUp")
        until(lambda: prometheus.firing(*names), set(names), PAGE_SECONDS)
        assert time.monotonic() - stopped < PAGE_SECONDS
    finally:
        board.stack.docker("start", haproxy.id)
    board.until_well()
    until(lambda: prometheus.firing(*names), set())


def test_the_watchdog_fires_and_names_its_runbook(board: Board, prometheus: Prometheus) -> None:
    until(lambda: prometheus.firing("Watchdog"), {"Watchdog"})
    api, fetch = board.containers("api")[0], FETCH.format("prometheus", "9090/api/v1/alerts")
    found = board.stack.docker("exec", api.id, "/opt/agent-board/bin/python", "-c", fetch)
    assert '"deploy/observability/runbooks/Monitoring.md"' in found


def test_what_rules_and_panels_ask_of_the_load_balancer_and_the_stores_is_there(
    board: Board, prometheus: Prometheus
) -> None:
    asked = {
        selector.text
        for expression in expressions()
        for selector in selectors(expression)
        if selector.metric.split("_")[0] in FOREIGN
        and selector.metric not in RARE
        and not any(value in selector.text for value in UNSEEN)
    }
    assert len(asked) > 20

    def still_missing() -> set[str]:
        # a scrape that times out hides the series of its target for a moment
        asked.difference_update(prometheus.found(asked))
        return asked

    with Traffic(board) as traffic:
        traffic.until(20)
        until(still_missing, set())
    traffic.check()


def test_no_rule_fails(prometheus: Prometheus) -> None:
    assert prometheus.values("sum(prometheus_rule_evaluations_total) > 100")
    failed = prometheus.values("sum by (rule_group) (prometheus_rule_evaluation_failures_total) > 0")
    assert failed == []


def test_alertmanager_reaches_prometheus_and_no_operator_port(board: Board, prometheus: Prometheus) -> None:
    def resolves(name: str) -> bool:
        [container] = board.containers("alertmanager")
        command = ["docker", "exec", container.id, "getent", "hosts", name]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert resolves("prometheus")
    assert [name for name in ("api", "limiter", "fanout", "valkey", "postgresql") if resolves(name)] == []


def test_no_container_inside_can_use_the_blackbox_exporter_to_get_out(board: Board, prometheus: Prometheus) -> None:
    """It fetches any address for whoever asks. A name would only hide it, so its addresses are tried."""
    until(lambda: prometheus.values('probe_success{job="probe"} == 1') != [], True)
    addresses = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}"
    [exporter] = board.containers("blackbox-exporter")
    for address in board.stack.docker("inspect", "--format", addresses, exporter.id).split():
        connect = f"import socket; socket.create_connection(('{address}', 9115), 2)"
        for service in ("api", "limiter", "fanout"):
            asking = ["docker", "exec", board.containers(service)[0].id, "python3", "-c", connect]
            assert subprocess.run(asking, capture_output=True, check=False).returncode == 1, service


def test_a_replica_that_is_killed_is_missed_although_its_target_is_gone(board: Board, prometheus: Prometheus) -> None:
    killed = board.containers("fanout")[0]
    until(prometheus.replicas, REPLICAS)
    assert prometheus.raised("ReplicasMissing") == set()
    board.stack.docker("kill", killed.id)
    try:
        until(lambda: prometheus.raised("ReplicasMissing"), {"ReplicasMissing"})
    finally:
        board.stack.docker("start", killed.id)
    board.until_well()
    until(lambda: prometheus.raised("ReplicasMissing"), set())

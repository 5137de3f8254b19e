"""Which services can reach the limiter's operator port in compose.yaml, and which one has its secret."""

from typing import Any

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY

STACK: dict[str, Any] = yaml.safe_load((DIRECTORY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = STACK["services"]


@pytest.mark.parametrize("service", ["grafana", "alertmanager"])
def test_what_people_and_webhooks_reach_cannot_reach_the_limiter(service: str) -> None:
    assert set(SERVICES[service]["networks"]).isdisjoint(SERVICES["limiter"]["networks"])


def test_prometheus_reaches_what_it_scrapes_and_grafana_reaches_prometheus() -> None:
    prometheus = set(SERVICES["prometheus"]["networks"])
    for service in (
        "api",
        "limiter",
        "fanout",
        "haproxy",
        "postgres-exporter",
        "valkey-exporter",
        "node-exporter",
        "blackbox-exporter",
        "targets",
        "alertmanager",
        "grafana",
    ):
        assert prometheus & set(SERVICES[service]["networks"]), service
    assert STACK["networks"]["monitoring"] == {"internal": True}


def test_the_limiter_answers_to_its_name() -> None:
    environment = SERVICES["limiter"]["environment"]
    assert f"http://{environment['INTERNAL_NAMES']}:8100" == SERVICES["api"]["environment"]["LIMITER_URL"]


def test_only_the_fan_out_is_given_the_key_of_the_log() -> None:
    assert {name for name, each in SERVICES.items() if "log_key" in each.get("secrets", [])} == {"fanout"}
    assert SERVICES["fanout"]["environment"]["LOG_KEY_FILE"] == "/run/secrets/log_key"


def test_what_must_not_get_out_cannot_ask_the_blackbox_exporter_to() -> None:
    """It fetches any address: only Prometheus, and services that have a way out already, may reach it."""
    reach = set(SERVICES["blackbox-exporter"]["networks"])
    others = {name for name, each in SERVICES.items() if reach & set(each.get("networks", []))}
    assert others - {"blackbox-exporter"} == {"prometheus", "alertmanager"}
    assert STACK["networks"]["probing"] == {"internal": True}
    assert set(SERVICES["alertmanager"]["networks"]) & reach == {"outbound"}


def test_the_exporter_for_hosts_is_not_the_owner_of_postgresqls_files() -> None:
    assert SERVICES["node-exporter"]["user"] == "65534:65534" != SERVICES["postgresql"]["user"]

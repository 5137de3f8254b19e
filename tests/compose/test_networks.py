"""Services have the secrets and the users that they need. The stack's tests look at their networks."""

from typing import Any

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY

STACK: dict[str, Any] = yaml.safe_load((DIRECTORY / "compose.yaml").read_text())
SERVICES: dict[str, Any] = STACK["services"]


@pytest.mark.parametrize("service", ["grafana", "alertmanager"])
def test_what_people_and_webhooks_reach_cannot_reach_the_limiter(service: str) -> None:
    assert set(SERVICES[service]["networks"]).isdisjoint(SERVICES["limiter"]["networks"])


def test_only_the_fan_out_is_given_the_key_of_the_log() -> None:
    assert {name for name, each in SERVICES.items() if "log_key" in each.get("secrets", [])} == {"fanout"}
    assert SERVICES["fanout"]["environment"]["LOG_KEY_FILE"] == "/run/secrets/log_key"


def test_the_exporter_for_hosts_is_not_the_owner_of_postgresqls_files() -> None:
    assert SERVICES["node-exporter"]["user"] == "65534:65534" != SERVICES["postgresql"]["user"]


def test_an_exporter_starts_while_its_server_is_away() -> None:
    assert "depends_on" not in SERVICES["postgres-exporter"]

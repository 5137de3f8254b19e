"""The targets that Prometheus scrapes and probes in the Compose stack."""

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY
from deploy.observability import targets

OPEN = {
    "PUBLISHED": "0.0.0.0:8000",
    "BASE_URL": "http://127.0.0.1:8000",
    "TLS_CERTIFICATE": "",
    "PROBE_URL": "",
}
PUBLIC = {"BASE_URL": "https://board.example/"}


@pytest.mark.parametrize(
    ("settings", "probed"),
    [
        ({}, "http://host.docker.internal:8000/api/health"),
        ({"PUBLISHED": "192.0.2.7:80"}, "http://192.0.2.7:80/api/health"),
        ({"PUBLISHED": "2001:db8::7:8000"}, "http://[2001:db8::7]:8000/api/health"),
        # private behind another proxy: only the public address will do
        ({"PUBLISHED": "127.0.0.1:8000", **PUBLIC}, "https://board.example/api/health"),
        ({"TLS_CERTIFICATE": "/board.pem", **PUBLIC}, "https://board.example/api/health"),
        (
            {"PROBE_URL": "https://elsewhere.example/api/health", "PUBLISHED": "127.0.0.1:8000"},
            "https://elsewhere.example/api/health",
        ),
        # nothing that another container could reach
        ({"PUBLISHED": "127.0.0.1:8000"}, None),
        ({"PUBLISHED": "127.0.0.1:8000", "BASE_URL": "http://localhost:8000"}, None),
    ],
)
def test_the_probe_calls_the_address_that_clients_use(settings: dict[str, str], probed: str | None) -> None:
    groups = targets.probe(OPEN | settings)
    assert groups == ([{"targets": [probed], "labels": {}}] if probed else [])


def test_a_store_of_the_stack_has_an_exporter() -> None:
    assert targets.groups("valkey", {"STORES": "postgresql valkey"}) == [
        {"targets": ["valkey-exporter:9121"], "labels": {"instance": "valkey"}}
    ]
    elsewhere = yaml.safe_load((DIRECTORY / "external.yaml").read_text())["services"]["targets"]["environment"]
    assert targets.groups("postgresql", elsewhere) == []

"""The targets that Prometheus scrapes and probes in the Compose stack."""

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest

from deploy.observability import targets
from tests.listener import listener

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


def test_every_replica_has_the_name_of_its_container(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"10.0.0.2": "agent-board-api-2.agent-board_observability", "10.0.0.3": "agent-board-api-7"}

    def gethostbyaddr(address: str) -> tuple[str, list[str], list[str]]:
        if address not in names:
            raise socket.herror(1, "Unknown host")
        return names[address], [], [address]

    found: dict[str, tuple[str, list[str], list[str]]] = {"api": ("api", [], ["10.0.0.3", "10.0.0.2", "10.0.0.9"])}
    monkeypatch.setattr(socket, "gethostbyname_ex", found.__getitem__)
    monkeypatch.setattr(socket, "gethostbyaddr", gethostbyaddr)
    assert targets.replicas("api") == [
        {"targets": ["10.0.0.2:9000"], "labels": {"instance": "agent-board-api-2"}},
        {"targets": ["10.0.0.3:9000"], "labels": {"instance": "agent-board-api-7"}},
        {"targets": ["10.0.0.9:9000"], "labels": {"instance": "10.0.0.9"}},
    ]


def test_a_store_of_the_stack_has_an_exporter() -> None:
    assert targets.groups("valkey", {"STORES": "postgresql valkey"}) == [
        {"targets": ["valkey-exporter:9121"], "labels": {"instance": "valkey"}}
    ]
    assert targets.groups("postgresql", {"STORES": ""}) == []


@pytest.fixture
def url() -> Iterator[str]:
    with listener(targets.Targets) as address:
        yield f"http://{address}"


def test_it_answers_as_prometheus_expects(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (OPEN | PUBLIC | {"PUBLISHED": "127.0.0.1:8000"}).items():
        monkeypatch.setenv(name, value)
    with urllib.request.urlopen(f"{url}/probe", timeout=10) as answer:
        assert answer.headers["Content-Type"] == "application/json"
        assert json.load(answer) == [{"targets": ["https://board.example/api/health"], "labels": {}}]
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{url}/grafana", timeout=10)

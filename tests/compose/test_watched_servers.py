"""With one server of PostgreSQL and with three, each has an exporter, a disk that is measured, and a target."""

import re
from typing import Any

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY
from deploy.compose.servers import FIRST, SERVERS
from deploy.observability import targets

FORMS = {"compose.yaml": (FIRST,), "patroni.yaml": SERVERS, "external.yaml": ()}
PROMETHEUS = DIRECTORY.parent / "observability/prometheus"


def services(file: str) -> dict[str, Any]:
    """Return what a file of Compose declares itself."""
    return dict(yaml.safe_load((DIRECTORY / file).read_text())["services"])


def declared(file: str, service: str, key: str) -> list[str]:
    """Return the entries of a service in compose.yaml and in a file that is added to it."""
    own = services(file).get(service, {}) if file != "compose.yaml" else {}
    return [str(each) for each in [*services("compose.yaml")[service][key], *own.get(key, [])]]


@pytest.mark.parametrize(("file", "servers"), FORMS.items())
def test_prometheus_is_told_an_exporter_of_each_server_by_its_name(file: str, servers: tuple[str, ...]) -> None:
    settings = services(file)["targets"]["environment"]
    found = targets.exporters("postgresql", settings)
    assert [each["labels"] for each in found] == [{"instance": name} for name in servers]
    for group, server in zip(found, servers, strict=True):
        [address] = group["targets"]
        exporter = services(file)[address.partition(":")[0]] if server != FIRST else first_exporter()
        assert exporter["environment"]["DATA_SOURCE_URI"] == f"{server}:5432/agent_board?sslmode=disable"
    assert len(targets.exporters("valkey", settings)) == (1 if servers else 0)


def first_exporter() -> dict[str, Any]:
    return dict(services("compose.yaml")["postgres-exporter"])


@pytest.mark.parametrize("file", ["compose.yaml", "patroni.yaml"])
def test_the_disk_of_each_server_is_measured_under_its_name(file: str) -> None:
    mounted = {each.split(":")[-2] for each in declared(file, "node-exporter", "volumes") if each.startswith("${")}
    assert {f"/srv/{server}" for server in FORMS[file]} <= mounted


def test_the_rules_on_disks_select_the_disk_of_each_server() -> None:
    text = "".join(path.read_text() for path in (PROMETHEUS / "rules").glob("*.yaml"))
    patterns = set(re.findall(r'mountpoint=~?"(/srv/postgresql[^"]*)"', text))
    assert patterns
    for pattern in patterns:
        assert all(re.fullmatch(pattern, f"/srv/{server}") for server in SERVERS), pattern
        assert not re.fullmatch(pattern, "/srv/prometheus")


@pytest.mark.parametrize("job", ["postgresql", "valkey"])
def test_prometheus_asks_for_the_exporters(job: str) -> None:
    jobs = {
        each["job_name"]: each
        for each in yaml.safe_load((PROMETHEUS / "prometheus.yaml").read_text())["scrape_configs"]
    }
    [asked] = jobs[job]["http_sd_configs"]
    assert asked["url"] == f"http://targets:{targets.PORT}/{job}"


def test_an_exporter_starts_while_its_server_is_away() -> None:
    assert "depends_on" not in first_exporter()

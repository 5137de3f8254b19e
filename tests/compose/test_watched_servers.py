"""PostgreSQL has an exporter, a disk that is measured, and a target, unless it is elsewhere."""

import re
from typing import Any

import pytest
import yaml

from deploy.compose.configuration import DIRECTORY
from deploy.compose.database import SERVER
from deploy.observability import targets

FORMS: dict[str, tuple[str, ...]] = {"compose.yaml": (SERVER,), "external.yaml": ()}
PROMETHEUS = DIRECTORY.parent / "observability/prometheus"


def services(file: str) -> dict[str, Any]:
    """Return what a file of Compose declares itself."""
    return dict(yaml.safe_load((DIRECTORY / file).read_text())["services"])


@pytest.mark.parametrize(("file", "servers"), FORMS.items())
def test_prometheus_is_told_an_exporter_of_each_server_by_its_name(file: str, servers: tuple[str, ...]) -> None:
    settings = services(file)["targets"]["environment"]
    found = targets.exporters("postgresql", settings)
    assert [each["labels"] for each in found] == [{"instance": name} for name in servers]
    for group, server in zip(found, servers, strict=True):
        [address] = group["targets"]
        exporter = services(file)[address.partition(":")[0]]
        assert exporter["environment"]["DATA_SOURCE_URI"] == f"{server}:5432/agent_board?sslmode=disable"
    assert len(targets.exporters("valkey", settings)) == (1 if servers else 0)


def test_the_disk_is_measured_under_its_name() -> None:
    mounted = map(str, services("compose.yaml")["node-exporter"]["volumes"])
    assert any(each.endswith(f":/srv/{SERVER}:ro") for each in mounted)


def test_the_rules_on_disks_select_its_disk() -> None:
    text = "".join(path.read_text() for path in (PROMETHEUS / "rules").glob("*.yaml"))
    patterns = set(re.findall(r'mountpoint=~?"(/srv/postgresql[^"]*)"', text))
    assert patterns
    for pattern in patterns:
        assert re.fullmatch(pattern, f"/srv/{SERVER}"), pattern
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
    assert "depends_on" not in services("compose.yaml")["postgres-exporter"]

"""The stack's own measurements: from `make up` on, the monitoring sees that there is no backup."""

from pathlib import Path
from typing import Any

import pytest

from deploy.compose import (
    measurements,
)
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.stack import Stack

METRIC = "agent_board_backup_timestamp_seconds "


class Described(Stack):
    """A stack with these services."""

    def __init__(self, folder: Path, *services: str) -> None:
        super().__init__(Configuration({"METRICS_DIR": str(folder), "ENV_FILE": str(folder / ".env")}))
        self.services = services

    def described(self, *_: str) -> dict[str, Any]:
        return {"services": {name: {} for name in self.services}}


def test_before_the_first_backup_its_time_is_0(tmp_path: Path) -> None:
    stack = Described(tmp_path, "postgresql", "backup")
    measurements.prepare(stack)
    assert METRIC + "0\n" in (tmp_path / "backup.prom").read_text()
    assert (tmp_path / "backup_service.prom").read_text().endswith("agent_board_backup_service_timestamp_seconds 0\n")
    assert (tmp_path / "backup.prom").stat().st_mode & 0o444 == 0o444


def test_the_service_that_makes_backups_reports_the_same_metric(tmp_path: Path) -> None:
    """Its file replaces the one of `make up`, so the two must describe the metric alike."""
    measurements.prepare(Described(tmp_path, "backup"))
    for what, program in (("backup", "backup-now"), ("backup_service", "backup-schedule")):
        ours = [line for line in (tmp_path / f"{what}.prom").read_text().splitlines() if line.startswith("#")]
        script = (DIRECTORY / "pgbackrest" / program).read_text()
        name, explanation = ours[0].removeprefix("# HELP ").split(" ", 1)
        assert ours[1:] == [f"# TYPE {name} gauge"]
        assert f'publish-metric {what} {name} "{explanation}"' in script


@pytest.mark.parametrize(
    ("services", "left"),
    [
        ((), set()),
        (("backup",), {*measurements.FILES}),
    ],
)
def test_a_service_that_was_given_up_is_no_longer_measured(
    tmp_path: Path, services: tuple[str, ...], left: set[str]
) -> None:
    for what in measurements.FILES:
        (tmp_path / f"{what}.prom").write_text("\n")
    measurements.prepare(Described(tmp_path, *services))
    assert {path.stem for path in tmp_path.iterdir()} == {*left, "replicas"}


def test_the_wanted_replicas_are_those_of_the_settings() -> None:
    services = {"api": {"deploy": {"replicas": 3}}, "haproxy": {"deploy": {}}, "valkey": {}, "limiter": {}}
    assert [line for line in measurements.wanted(services).splitlines() if not line.startswith("#")] == [
        'agent_board_replicas_wanted{service="api"} 3',
        'agent_board_replicas_wanted{service="haproxy"} 1',
        'agent_board_replicas_wanted{service="limiter"} 1',
    ]

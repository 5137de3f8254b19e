"""A drill must not fill the disk of the board, and has a project of its own."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from deploy.compose import drills
from deploy.compose.backups import Backup
from deploy.compose.configuration import DIRECTORY, Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

BACKUP = Backup("20261123-030000F", "full", datetime(2026, 11, 23, 3, tzinfo=UTC), 1, True, data_bytes=3 * 2**30)


def test_a_drill_needs_room_for_the_data_and_a_gibibyte() -> None:
    drills.check_room(BACKUP, 4096)
    with pytest.raises(StackError, match=r"The drill needs 4096 MiB .*; 4095 are free"):
        drills.check_room(BACKUP, 4095)


def test_a_drill_names_the_end_of_a_backup_that_no_change_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter(("2026-11-23 03:04:05+00", ""))
    monkeypatch.setattr(drills, "value", lambda *_: next(found))
    assert drills.replayed(Stack(), BACKUP) == "2026-11-23 03:04:05"
    assert drills.replayed(Stack(), BACKUP) == "2026-11-23 03:00:00"


class Described(Stack):
    """A stack of the project `board`."""

    def described(self) -> dict[str, str]:
        return {"name": "board"}


def test_a_drill_has_a_project_of_its_own_with_the_overlays_of_the_board(tmp_path: Path) -> None:
    given = {"ENV_FILE": str(tmp_path / ".env"), "COMPOSE_FILE": "compose.yaml:mine.yaml", "BACKUP_DAYS": "3"}
    own = drills.beside(Described(Configuration(given))).environment()
    assert own == {
        **given, "COMPOSE_PROJECT_NAME": "board-drill", "COMPOSE_FILE": "compose.yaml:mine.yaml:drill.yaml",
        "DRILL_OF": "board",
    }  # fmt: skip


def test_a_good_drill_is_measured(tmp_path: Path) -> None:
    drills.report(Configuration({"METRICS_DIR": str(tmp_path)}), 1800000000.9, 42.25)
    lines = (tmp_path / "drill.prom").read_text().splitlines()
    assert [line for line in lines if line[0] != "#"] == [
        "agent_board_drill_timestamp_seconds 1800000000", "agent_board_drill_duration_seconds 42.2",
    ]  # fmt: skip
    assert [file.name for file in tmp_path.iterdir()] == ["drill.prom"]


def test_a_drill_cannot_reach_the_data_of_the_board_or_change_the_repository() -> None:
    described = yaml.safe_load((DIRECTORY / "drill.yaml").read_text().replace("!reset null", "null"))
    volumes = described["services"]["postgresql"]["volumes"]
    # whatever POSTGRES_VOLUME is, Compose replaces a volume by another with the same target
    assert "copy:/var/lib/postgresql" in volumes
    assert described["volumes"]["copy"] is None
    assert "${BACKUP_REPOSITORY:-repository}:/var/lib/pgbackrest:ro" in volumes
    assert described["volumes"]["repository"]["external"]


def test_a_second_drill_is_refused_also_when_a_setting_was_written(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.touch()
    configuration = Configuration({"ENV_FILE": str(file)})
    with drills.alone(configuration):
        configuration.write(API_REPLICAS="3")
        with pytest.raises(StackError, match=r"^Another drill is running\.$"), drills.alone(configuration):
            pass
    with drills.alone(configuration):
        pass

"""What `make doctor` reports about backups and archiving."""

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.compose import backups, measurements
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack


def on(timeline: int, number: int) -> dict[str, str]:
    """Return what pgBackRest reports of the log that a backup needs."""
    return dict.fromkeys(("start", "stop"), f"{timeline:08X}{number:016X}")


FULL: dict[str, Any] = {
    "label": "20261120-030000F", "type": "full", "error": False, "timestamp": {"start": 1763607600, "stop": 1763607660},
    "info": {"size": 2**26, "repository": {"delta": 5 * 2**20}}, "annotation": {"verified": "1763607700"},
    "database": {"id": 1}, "archive": on(6, 5),
}  # fmt: skip
DAILY: dict[str, Any] = {
    **FULL, "label": "20261120-030000F_20261121-030000I", "type": "incr", "annotation": None,
    "timestamp": {"start": 1763694000, "stop": 1763694010}, "info": {"size": 2**26, "repository": {"delta": 2**19}},
}  # fmt: skip
DAMAGED = {**DAILY, "label": "20261120-030000F_20261122-030000I", "error": True}


class Answering(Stack):
    """A stack whose containers give one answer to every question."""

    def __init__(self, folder: Path, *answers: str) -> None:
        super().__init__(Configuration({"ENV_FILE": str(folder / ".env")}))
        self.answers = list(answers)

    def ask(self, *_: Any, **__: Any) -> str:
        return self.answers.pop(0)

    def check_engine(self) -> None:
        pass

    def runs(self, service: str) -> bool:
        return True


def test_archiving_that_is_off_or_fails_is_reported(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="does not archive its log"):
        backups.check_archiving(Answering(tmp_path, "off"))
    with pytest.raises(StackError, match="not been able to archive its log since 2026-11-23 15:00:00"):
        backups.check_archiving(Answering(tmp_path, "on", "2026-11-23 15:00:00\n"))
    backups.check_archiving(Answering(tmp_path, "on", "\n"))


def test_a_database_that_is_not_that_of_the_backups_is_reported(tmp_path: Path) -> None:
    """After a loss of its volume, PostgreSQL begins with an empty database."""
    stanza = json.dumps([{"db": [{"id": 1, "system-id": 11}, {"id": 2, "system-id": 22}], "backup": [FULL]}])
    with pytest.raises(StackError, match="make restore returns to the board of the backups"):
        backups.check_timeline(Answering(tmp_path, stanza, "11\n"))
    backups.check_timeline(Answering(tmp_path, stanza, "22\n", "6\n"))
    backups.check_timeline(Answering(tmp_path, "[]", "6\n"))


def test_an_interrupted_command_names_who_goes_on_with_the_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Answering(tmp_path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stack, "containers", lambda *_: [SimpleNamespace(status="running")])
    monkeypatch.setattr(stack, "compose", interrupt)
    with pytest.raises(KeyboardInterrupt, match=r"^The service backup goes on with it"):
        backups.backup(stack)


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("agent_board_backup_failing 1\n", "The last attempt to make a backup, or to verify it, failed"),
        ("agent_board_backup_failing 0\n", ""),
        ("", ""),
    ],
)
def test_a_failed_attempt_to_back_up_is_reported(tmp_path: Path, page: str, sentence: str) -> None:
    configuration = Configuration({"METRICS_DIR": str(tmp_path), "ENV_FILE": str(tmp_path / ".env")})
    (tmp_path / "backup_failing.prom").write_text(f"# TYPE agent_board_backup_failing gauge\n{page}")
    now, before = datetime.now(UTC), datetime.now(UTC) - timedelta(minutes=1)
    assert backups.trouble(configuration, now, before).startswith(sentence)
    assert bool(backups.trouble(configuration, now, before)) == bool(sentence)
    # an attempt while PostgreSQL was replaced reports nothing about now
    assert backups.trouble(configuration, now, now) == ""


def test_a_service_that_runs_and_measures_nothing_is_reported(tmp_path: Path) -> None:
    configuration = Configuration({"METRICS_DIR": str(tmp_path), "ENV_FILE": str(tmp_path / ".env")})
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    assert "no sign of life for 60 min" in backups.trouble(configuration, long_ago, long_ago)
    measurements.write(configuration, "backup_service", f"agent_board_backup_service_timestamp_seconds {time.time()}\n")
    assert backups.trouble(configuration, long_ago, long_ago) == ""

"""Which backup a restore starts from, and which moments it refuses in one sentence."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from deploy.compose import recovery
from deploy.compose.backups import Backup
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, 23, hour, minute, tzinfo=UTC)


BACKUPS = [Backup(f"at {hour}", "incr", at(hour), 1, True) for hour in (3, 6, 9)]


@pytest.mark.parametrize(
    ("moment", "label"),
    [("2026-11-23 06:00", "at 6"), ("2026-11-23 08:59:59", "at 6"), ("2026-11-23T10:00:00+01:00", "at 9"),
     ("2026-11-23 11:00:00", "at 9")],
)  # fmt: skip
def test_the_newest_backup_that_was_complete_before_the_moment_is_used(moment: str, label: str) -> None:
    assert recovery.choose(BACKUPS, recovery.parse(moment), at(12)).label == label


def test_without_a_moment_the_newest_backup_is_used() -> None:
    assert recovery.choose(BACKUPS, None, at(12)).label == "at 9"


@pytest.mark.parametrize(
    ("moment", "found", "sentence"),
    [
        ("2026-11-23 02:59:59", BACKUPS, "The first backup was complete at 2026-11-23 03:00:00 (UTC); the board"),
        ("2026-11-23 12:00:01", BACKUPS, "2026-11-23 12:00:01 (UTC) is in the future; it is 2026-11-23 12:00:00."),
        ("2026-11-23 11:00:00", [], "The repository contains no backup."),
    ],
)
def test_a_moment_that_no_backup_leads_to_is_refused(moment: str, found: list[Backup], sentence: str) -> None:
    with pytest.raises(StackError) as refused:
        recovery.choose(found, recovery.parse(moment), at(12))
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("moment", ["yesterday", "15:04", "2026-13-01 00:00:00"])
def test_what_is_not_a_time_is_refused_before_anything_is_done(tmp_path: Path, moment: str) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env"), "PATH": ""}))
    with pytest.raises(StackError, match="is not a time; give one such as TIME='2026-11-23 15:04:00', in UTC"):
        recovery.restore(stack, "", moment)
    with pytest.raises(StackError, match="FILE or TIME, not both"):
        recovery.restore(stack, "a.dump", moment)

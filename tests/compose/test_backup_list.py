"""What `make backups` shows of a repository, and what `make doctor` reports about archiving."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import backups
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FULL: dict[str, Any] = {
    "label": "20261120-030000F", "type": "full", "error": False, "timestamp": {"start": 1763607600, "stop": 1763607660},
    "info": {"size": 2**26, "repository": {"delta": 5 * 2**20}}, "annotation": {"verified": "1763607700"},
    "database": {"id": 1}, "archive": {"stop": "000000060000000000000005"},
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


def test_backups_are_listed_with_their_size_and_whether_they_were_verified(tmp_path: Path) -> None:
    said = backups.listing(Answering(tmp_path, json.dumps([{"backup": [FULL, DAILY, DAMAGED]}]), "{}", "6\n"))
    header, *rows = said.partition("\n\n")[0].splitlines()
    assert header.split() == ["BACKUP", "KIND", "COMPLETE", "(UTC)", "AGE", "SIZE", "VERIFIED", "TIMELINE"]
    cells = [row.split()[:-1] for row in rows]
    assert [row.split()[-1] for row in rows] == ["6", "6"]
    assert [(row[0], row[1], " ".join(row[2:4]), " ".join(row[-3:-1]), row[-1]) for row in cells] == [
        (FULL["label"], "full", "2025-11-20 03:01:00", "5.0 MiB", "yes"),
        (DAILY["label"], "incr", "2025-11-21 03:00:10", "0.5 MiB", "no"),
    ]
    assert "any second since 2025-11-20 03:01:00 (UTC)" in said


@pytest.mark.parametrize("stanzas", [[], [{"backup": []}]])
def test_an_empty_repository_is_reported_as_such(tmp_path: Path, stanzas: list[Any]) -> None:
    assert "no backup yet" in backups.listing(Answering(tmp_path, json.dumps(stanzas)))


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


def segment(timeline: int, archived: int) -> dict[str, Any]:
    path = f"18-1/{timeline:08X}00000000/{timeline:08X}0000000000000005-0123456789abcdef.zst"
    return {path: {"type": "file", "size": 1, "time": archived}, f"18-1/{timeline:08X}.history": {"time": 2**31}}


def test_after_a_fail_over_the_moments_since_then_need_a_backup(tmp_path: Path) -> None:
    """Backups of timeline 6, whose log ends an hour after the last one; PostgreSQL runs on timeline 7."""
    end = DAILY["timestamp"]["stop"] + 3600
    archived = json.dumps({**segment(6, end), **segment(7, end + 600), ".": {"type": "path"}})
    stanza = json.dumps([{"backup": [FULL, DAILY]}])
    said = backups.listing(Answering(tmp_path, stanza, archived, "7\n"))
    assert "any second from 2025-11-20 03:01:00 to 2025-11-21 04:00:10 (UTC)." in said
    assert "There is no backup on this timeline (7)" in said
    with pytest.raises(StackError, match=r"There is no backup on this timeline \(7\).+make backup makes one"):
        backups.check_timeline(Answering(tmp_path, stanza, "7\n"))
    # the repository has one of the new timeline, but not of the time between the two
    new = {**DAILY, "timestamp": {"stop": end + 900}, "archive": {"stop": "000000070000000000000009"}}
    stanza = json.dumps([{"backup": [FULL, DAILY, new]}])
    said = backups.listing(Answering(tmp_path, stanza, archived, "7\n"))
    assert "from 2025-11-20 03:01:00 to 2025-11-21 04:00:10, or since 2025-11-21 04:15:10 (UTC)." in said
    backups.check_timeline(Answering(tmp_path, stanza, "7\n"))

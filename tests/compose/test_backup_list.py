"""What `make backups` shows of a repository, and what `make doctor` reports about archiving."""

import json
from pathlib import Path
from typing import Any

import pytest

from deploy.compose import backups
from deploy.compose.configuration import Configuration
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FULL = {
    "label": "20261120-030000F", "type": "full", "error": False, "timestamp": {"start": 1763607600, "stop": 1763607660},
    "info": {"size": 2**26, "repository": {"delta": 5 * 2**20}}, "annotation": {"verified": "1763607700"},
}  # fmt: skip
DAILY = {
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
    said = backups.listing(Answering(tmp_path, json.dumps([{"backup": [FULL, DAILY, DAMAGED]}])))
    header, *rows = said.partition("\n\n")[0].splitlines()
    assert header.split() == ["BACKUP", "KIND", "COMPLETE", "(UTC)", "AGE", "SIZE", "VERIFIED"]
    cells = [row.split() for row in rows]
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

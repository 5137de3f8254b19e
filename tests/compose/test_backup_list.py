"""What `make backups` shows of a repository, and what `make doctor` reports about archiving."""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deploy.compose import backups, measurements, moments
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


def test_backups_are_listed_with_their_size_and_whether_they_were_verified(tmp_path: Path) -> None:
    said = moments.listing(
        Answering(tmp_path, json.dumps([{"backup": [FULL, DAILY, DAMAGED]}]), archive(segment(6)), "6\n")
    )
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
    assert "no backup yet" in moments.listing(Answering(tmp_path, json.dumps(stanzas)))


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


def segment(timeline: int, number: int = 5) -> str:
    return f"18-1/{timeline:08X}00000000/{timeline:08X}{number:016X}-0123456789abcdef.zst"


def archive(*paths: str) -> str:
    """Return a list of the repository, whose files were archived long after what is in them."""
    others = ("18-1/00000007.history", f"{segment(6, 9).partition('-0')[0]}.partial-0123.zst", ".")
    return json.dumps({path: {"type": "file", "time": 2**31} for path in (*paths, *others)})


def last(*times: datetime) -> Callable[..., datetime | None]:
    """Return what finds these times of last transactions, one after the other."""
    found = list(times)
    return lambda *_: found.pop(0) if found else None


def test_after_a_fail_over_the_moments_since_then_need_a_backup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Backups of timeline 6, whose last transaction was an hour after the last one; PostgreSQL runs on timeline 7."""
    end = datetime.fromtimestamp(DAILY["timestamp"]["stop"] + 3600, UTC)
    archived = archive(segment(6, 5), segment(6, 6), segment(7, 6), segment(7, 9))
    stanza = json.dumps([{"backup": [FULL, DAILY]}])
    monkeypatch.setattr(moments, "last_transaction", last(end))
    said = moments.listing(Answering(tmp_path, stanza, archived, "7\n"))
    # not the second of that transaction, which no later one follows
    assert "any second from 2025-11-20 03:01:00 to 2025-11-21 04:00:09 (UTC)." in said
    assert "There is no backup on this timeline (7)" in said
    with pytest.raises(StackError, match=r"There is no backup on this timeline \(7\).+make backup makes one"):
        backups.check_timeline(Answering(tmp_path, stanza, "7\n"))
    # the repository has one of the new timeline, but not of the time between the two
    new = {**DAILY, "timestamp": {"stop": DAILY["timestamp"]["stop"] + 4500}, "archive": on(7, 9)}
    stanza = json.dumps([{"backup": [FULL, DAILY, new]}])
    monkeypatch.setattr(moments, "last_transaction", last(end + timedelta(milliseconds=1)))
    said = moments.listing(Answering(tmp_path, stanza, archived, "7\n"))
    assert "from 2025-11-20 03:01:00 to 2025-11-21 04:00:10, or since 2025-11-21 04:15:10 (UTC)." in said
    backups.check_timeline(Answering(tmp_path, stanza, "7\n"))


def test_a_log_with_a_gap_leads_only_to_the_gap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end = datetime.fromtimestamp(FULL["timestamp"]["stop"] + 60, UTC)
    later = {**DAILY, "archive": on(6, 9)}
    archived = archive(segment(6, 5), segment(6, 6), segment(6, 9), segment(6, 10))
    stanza = json.dumps([{"backup": [FULL, later]}])
    read: list[list[str]] = []

    def last_transaction(_: Stack, paths: list[str]) -> datetime:
        read.append(paths)
        return end

    monkeypatch.setattr(moments, "last_transaction", last_transaction)
    said = moments.listing(Answering(tmp_path, stanza, archived, "6\n"))
    assert "from 2025-11-20 03:01:00 to 2025-11-20 03:01:59, or since 2025-11-21 03:00:10 (UTC)." in said
    # newest first, and nothing behind the gap
    assert read == [[segment(6, 6), segment(6, 5)]]


@pytest.mark.parametrize("paths", [(), (segment(6, 6),)], ids=["nothing archived", "its own log is missing"])
def test_a_backup_without_its_log_leads_to_no_moment(tmp_path: Path, paths: tuple[str, ...]) -> None:
    stanza = json.dumps([{"backup": [FULL]}])
    assert moments.NO_MOMENT in moments.listing(Answering(tmp_path, stanza, archive(*paths), "6\n"))


def test_a_segment_has_the_number_of_its_place_in_the_log() -> None:
    assert backups.number("0000000000000005") == 5
    assert backups.number("0000000100000000") == backups.number("00000000000000FF") + 1


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

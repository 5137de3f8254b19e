"""Which backup a restore starts from, and which moments it refuses in one sentence."""

import threading
import time
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from deploy.compose import backups, callers, exports, images, lineage, moments, recovery, running
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


def test_a_moment_beyond_the_end_of_its_timeline_is_refused_before_anything_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only backup is on timeline 6, whose log ended at 7 with a fail-over."""
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))
    backup = Backup("at 6", "incr", at(6), 1, True, line=(1, 6), segment=5)
    for module, name in ((backups, "check_bundled"), (running, "make_secrets"), (recovery, "archive_all")):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setattr(running, "obtain", lambda _: {})
    monkeypatch.setattr(backups, "recorded", lambda _: [backup])
    archived = {(1, 6): {5: "of 6"}, (1, 7): {6: "of 7"}, (2, 6): {5: "of another"}}
    monkeypatch.setattr(moments, "archived", lambda _: archived)
    times = {"of 6": at(7), "of 7": at(9), "of another": at(9)}
    monkeypatch.setattr(moments, "last_transaction", lambda _, paths: times[paths[0]] if paths else None)
    monkeypatch.setattr(stack, "containers", lambda *_: [])
    done: list[str] = []
    monkeypatch.setattr(stack, "compose", lambda *command: done.append(" ".join(command)))
    with pytest.raises(StackError, match=r"08:00:00 \(UTC\); nothing was changed.+on timeline 6.+ends at"):
        recovery.restore(stack, "", "2026-11-23 08:00:00")
    assert done == []
    moments.check(stack, backup, at(6, 59))
    with pytest.raises(StackError, match="whose archived log ends at"):
        moments.check(stack, backup, at(7))
    del archived[1, 6]
    with pytest.raises(StackError, match="whose archived log is missing"):
        moments.check(stack, backup, at(7))


@pytest.mark.parametrize(
    ("step", "outcome"),
    [("fetch", "Nothing was changed"), ("exchange", "It was undone"), ("replay", "It was undone"),
     ("end", "The data were restored")],
)  # fmt: skip
def test_an_interrupted_restore_reports_whether_it_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, outcome: str
) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))

    def reached(name: str) -> None:
        if name == step:
            raise KeyboardInterrupt

    for module, name in ((backups, "check_bundled"), (running, "make_secrets"), (lineage, "remember")):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setattr(running, "obtain", lambda _: {})
    monkeypatch.setattr(running, "start", lambda *_: "")
    monkeypatch.setattr(backups, "recorded", lambda _: BACKUPS)
    monkeypatch.setattr(lineage, "find_board", lambda *_: None)
    monkeypatch.setattr(lineage, "end_restore", lambda _: reached("end"))
    monkeypatch.setattr(stack, "containers", lambda *_: [])
    monkeypatch.setattr(stack, "runs", lambda _: False)
    done: list[str] = []

    def compose(command: str, *services: str) -> None:
        if command == "stop" and done:
            done.append(f"{' '.join(services)} stopped")

    monkeypatch.setattr(stack, "compose", compose)

    def put_back(*_: object) -> str:
        done.append("data put back")
        return "data"

    monkeypatch.setattr(lineage, "end_exchange", lambda _: done.append("containers removed"))
    monkeypatch.setattr(recovery, "check_room", lambda *_: None)
    monkeypatch.setattr(recovery, "free_mebibytes", lambda _: 0)
    monkeypatch.setattr(recovery, "in_volume", put_back)
    for name in ("fetch", "exchange", "replay"):
        monkeypatch.setattr(recovery, name, lambda *_, name=name: reached(name))
    with pytest.raises(KeyboardInterrupt, match=outcome):
        recovery.restore(stack, "", "")
    # what the interrupted command started must not change the data after they were put back, and what it began to stop
    # must not end after it was started again
    undone = ["containers removed", "api fanout backup postgresql stopped", "data put back"]
    assert done == (undone if outcome == "It was undone" else [])
    # doctor reports what is left
    monkeypatch.setattr(lineage, "in_volume", lambda *_: "yes")
    left = lineage.unfinished(stack)
    assert ("make restore was interrupted" in left and "make up completes it" in left) == (step == "end")


def test_a_container_that_another_command_removes_ends_the_restore(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = Stack(Configuration({}))
    monkeypatch.setattr(stack, "compose", lambda *_: None)
    monkeypatch.setattr(stack, "ask", fail)
    monkeypatch.setattr(stack, "containers", lambda *_: [])
    with pytest.raises(StackError, match="Another command removed PostgreSQL's container"):
        recovery.replay(stack, None)


def fail(*_: object) -> str:
    raise StackError("There is no such container.")


@pytest.mark.parametrize("file", ["/nonexistent", "/tmp"])
def test_a_file_that_does_not_exist_is_named(tmp_path: Path, file: str) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env"), "PATH": ""}))
    with pytest.raises(StackError, match=f"^FILE is {file}, and there is no such file"):
        recovery.restore(stack, file, "")


@pytest.mark.parametrize("refused", ["room", "records", "erasures"])
def test_what_can_be_known_before_is_refused_before_anything_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))
    if refused != "room":
        (tmp_path / {"records": ".board", "erasures": ".erasures"}[refused]).write_text("{")
    big = Backup("at 6", "full", at(6), 1, True, data_bytes=2**30)
    for module, name in ((backups, "check_bundled"), (running, "make_secrets")):
        monkeypatch.setattr(module, name, lambda *_: None)
    monkeypatch.setattr(running, "obtain", lambda _: {})
    monkeypatch.setattr(backups, "recorded", lambda _: [big])
    monkeypatch.setattr(recovery, "free_mebibytes", lambda _: 1024)
    monkeypatch.setattr(stack, "containers", lambda *_: [])
    done: list[str] = []
    monkeypatch.setattr(stack, "compose", lambda *command: done.append(" ".join(command)))
    monkeypatch.setattr(stack, "ask", lambda *command, **_: done.append(" ".join(command)))
    reason = "need 1280 MiB .*; 1024 are free" if refused == "room" else "cannot be read"
    with pytest.raises(StackError, match=reason):
        recovery.restore(stack, "", "")
    assert done == []


def test_a_file_without_a_board_is_refused_before_anything_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = Stack(Configuration({"ENV_FILE": str(tmp_path / ".env")}))
    (tmp_path / "other.dump").touch()
    monkeypatch.setattr(stack, "check_engine", lambda: None)
    monkeypatch.setattr(stack, "runs", lambda _: True)
    for name in ("check_runs", "verify", "fill"):
        monkeypatch.setattr(exports, name, lambda *_: None)
    monkeypatch.setattr(images, "images", lambda _: {"migrate": "there"})
    monkeypatch.setattr(images, "fetch", lambda *_: {})
    monkeypatch.setattr(lineage, "find_board", lambda *_: None)
    done: list[str] = []
    monkeypatch.setattr(stack, "compose", lambda *command, **_: done.append(" ".join(command)))
    with pytest.raises(StackError, match="does not contain a board; nothing was changed"):
        recovery.restore(stack, str(tmp_path / "other.dump"), "")
    # the database that was loaded from it is gone
    assert [each.split()[-1] for each in done] == ["agent_board_restored"]
    assert "DROP DATABASE" in done[0]


class Answers(BaseHTTPRequestHandler):
    """Answers with the statuses of a list, and then with its last one."""

    statuses: ClassVar[list[int]] = []

    def do_GET(self) -> None:
        self.send_response(self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0])
        self.send_header("Content-Length", "0")
        self.end_headers()
        self.arrived.release()

    def log_message(self, format: str, *args: object) -> None:
        pass

    arrived: ClassVar[threading.Semaphore] = threading.Semaphore(0)


@pytest.mark.parametrize(
    ("statuses", "calls", "pauses"),
    [([200], 4, 0), ([200, 200, 503, 503, 200], 6, 2), ([503, 200, 503, 200], 5, 2)],
    ids=["never away", "away once", "away twice"],
)
def test_the_time_in_which_calls_fail_is_measured_by_calls(
    monkeypatch: pytest.MonkeyPatch, statuses: list[int], calls: int, pauses: int
) -> None:
    """An outage lasts for at least the pauses between its calls."""
    Answers.statuses, Answers.arrived = [*statuses], threading.Semaphore(0)
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        given = {"BIND": "127.0.0.1", "PORT": str(server.server_port), "ENV_FILE": "/dev/null"}
        began = time.monotonic()
        with callers.watching(Configuration(given)) as outage:
            for _ in range(calls):
                assert Answers.arrived.acquire(timeout=60)
        whole = time.monotonic() - began
        server.shutdown()
    assert pauses * callers.EVERY_SECONDS <= outage.seconds <= (whole if pauses else 0)

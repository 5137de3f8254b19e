"""Backups by pgBackRest, to which PostgreSQL archives its log: making one, and reading what is in the repository."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from deploy.compose import images, measurements, restore_points
from deploy.compose.configuration import Configuration
from deploy.compose.database import check_runs, integer, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FAILING = """
SELECT date_trunc('second', last_failed_time) FROM pg_stat_archiver
WHERE last_failed_time > coalesce(last_archived_time, '-infinity')
"""
IDENTITY = "SELECT system_identifier FROM pg_control_system()"
TIMELINE = "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int"
SILENT_MAX = timedelta(minutes=4)
"""The service gives a sign of life every minute."""
START_MAX = timedelta(seconds=30)


Line = tuple[int, int]
"""One course of the log: the number of the database system in the repository, and the timeline."""


@dataclass(frozen=True)
class Backup:
    """One backup in the repository: its name there, when it was complete, what it added, and the size of the data."""

    label: str
    kind: str
    complete: datetime
    bytes: int
    verified: bool
    data_bytes: int = 0
    line: Line = (0, 0)


def backup(stack: Stack) -> str:
    """Make a backup now, verify it by reading it from the repository, and return its size. Raises StackError."""
    check_bundled(stack)
    if not any(each.status == "running" for each in stack.containers("backup")):
        raise StackError("The service backup is not running; start it with make up.")
    check_runs(stack)
    try:
        stack.compose("exec", "-T", "backup", "backup-now")
    except KeyboardInterrupt:
        raise KeyboardInterrupt("The service backup goes on with it.") from None
    restore_points.record(stack)
    newest = recorded(stack)[-1]
    return f"Backup {newest.label} ({newest.kind}, {size(newest.bytes)}) was made and verified."


def check_bundled(stack: Stack) -> None:
    """Raise StackError unless an engine is available and PostgreSQL is part of the stack."""
    stack.check_engine()
    if not stack.runs("backup"):
        raise StackError("PostgreSQL runs elsewhere; do this there, with its own tools.")


def without_backup(timeline: int) -> str:
    """Return the sentence about a PostgreSQL whose timeline has no backup."""
    return (
        f"There is no backup on this timeline ({timeline}): the board cannot be restored to a moment since the "
        "fail-over or restore that began it. make backup makes one."
    )


def running_timeline(stack: Stack) -> int | None:
    """Return the timeline of the running PostgreSQL; None if none accepts writes."""
    try:
        return integer(stack, TIMELINE)
    except StackError:
        return None


def check_timeline(stack: Stack) -> None:
    """Raise StackError if there are backups, but none on the timeline of the running PostgreSQL, or of its database."""
    known = stanzas(stack)
    check_identity(stack, known)
    found, timeline = backups_in(known), running_timeline(stack)
    if found and timeline is not None and timeline != max(each.line for each in found)[1]:
        raise StackError(without_backup(timeline))


def check_identity(stack: Stack, found: list[dict[str, Any]]) -> None:
    """Raise StackError if the newest backups of these stanzas are of another database than the running one."""
    known = [(each["id"], each["system-id"]) for stanza in found for each in stanza.get("db", [])]
    if known and integer(stack, IDENTITY) != max(known)[1]:
        raise StackError(
            "The backups are of another database than the one that runs: PostgreSQL's volume was empty or not mounted. "
            "make restore returns to the board of the backups. To keep the new one, move the repository away."
        )


def recorded(stack: Stack) -> list[Backup]:
    """Return the backups in the repository, oldest first. Raises StackError."""
    return backups_in(stanzas(stack))


def backups_in(found: list[dict[str, Any]]) -> list[Backup]:
    return [read_backup(each) for stanza in found for each in stanza.get("backup", []) if not each.get("error")]


def stanzas(stack: Stack) -> list[dict[str, Any]]:
    """Return what pgBackRest knows of the repository. Raises StackError."""
    found: list[dict[str, Any]] = json.loads(in_repository(stack, "info", "--output=json"))
    return found


def trouble(configuration: Configuration, started: datetime, database: datetime) -> str:
    """Return a sentence if the service that makes backups could not make the last one, or does nothing; else nothing.

    `started` is when its container started, and `database` when the last server of PostgreSQL did: an attempt before
    that failed because it was away, and the next one follows within a minute.
    """
    failing = measurements.value(configuration, "backup_failing", "agent_board_backup_failing")
    if failing and measurements.written(configuration, "backup_failing") > database + START_MAX:
        return "The last attempt to make a backup, or to verify it, failed; make backup repeats it."
    seen = datetime.fromtimestamp(measurements.measured(configuration, "backup_service") or 0, UTC)
    if (silent := datetime.now(UTC) - max(seen, started)) > SILENT_MAX:
        return (
            f"The service backup has given no sign of life for {age(silent)}: it may be unable to write to METRICS_DIR."
        )
    return ""


def check_archiving(stack: Stack) -> None:
    """Raise StackError unless PostgreSQL archives its log, so that nothing acknowledged would be lost with its disk."""
    if value(stack, "SHOW archive_mode") != "on":
        raise StackError("PostgreSQL does not archive its log; make up restarts it so that it does.")
    if failed := value(stack, FAILING):
        raise StackError(
            f"PostgreSQL has not been able to archive its log since {failed} (UTC): posts since then would be lost "
            "with its disk. deploy/observability/runbooks/Backups.md names the causes."
        )


def in_repository(stack: Stack, *arguments: str) -> str:
    """Run pgBackRest next to the repository; return its output. Raises StackError."""
    # Its log goes to standard error: the output must be only what the command prints.
    command = ("--log-level-console=off", "--log-level-stderr=error", *arguments)
    with suppress(StackError):
        return stack.ask("exec", "-T", "backup", "pgbackrest", *command, seconds=120)
    images.provide(stack, "postgresql")
    return stack.ask("run", "--rm", "--no-deps", "-T", "--entrypoint", "pgbackrest", "backup", *command, seconds=120)


def read_backup(described: dict[str, Any]) -> Backup:
    return Backup(
        label=described["label"],
        kind=described["type"],
        complete=datetime.fromtimestamp(described["timestamp"]["stop"], UTC),
        bytes=described["info"]["repository"]["delta"],
        verified="verified" in (described.get("annotation") or {}),
        data_bytes=described["info"]["size"],
        line=(described["database"]["id"], int(described["archive"]["stop"][:8], 16)),
    )


def age(since: timedelta) -> str:
    """Return an age in minutes, from two hours on in hours, and from two days on in days."""
    minutes = int(since.total_seconds() // 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 2880 else f"{since.days} days"


def size(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"

"""The moments to which a restore can lead: from the end of a backup to the last transaction of the log that follows it.

Each timeline has a log of its own. It ends where a fail-over or a restore began the next one, or at a segment that is
missing. PostgreSQL finds a moment only if a later transaction ended in the same log. When a segment was archived shows
little: that can be long after its last transaction.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from deploy.compose import backups
from deploy.compose.backups import Backup, Line
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

# pgBackRest keeps the log of each database system in a folder that ends in the system's number.
SEGMENT = re.compile(r"[0-9]+-([0-9]+)/[0-9A-F]{16}/([0-9A-F]{8})([0-9A-F]{16})-.+")
Log = Mapping[Line, Mapping[int, str]]
"""The path in the repository of each archived segment, by the course of the log and the segment's number in it."""
Last = Callable[[Sequence[str]], datetime | None]
"""Finds the time of the last transaction in some segments, which are given newest first."""
# More than that are not read: a segment without a transaction is rare.
READ_MAX = 64
LAST = r"""last() {
    # It reports the end of the records as an error. A segment must have its own name.
    TZ=UTC pg_waldump --rmgr=Transaction "$1" 2>/dev/null |
        sed -nE 's/.*desc: (COMMIT|ABORT)[A-Z_ ]* ([0-9-]{10} [0-9:.]+) .*/\2/p' | tail -n 1
}
"""
READ = f"""set -eu
{LAST}
pg_waldump --version >/dev/null
trap 'rm -f "$segment"' EXIT
for path; do
    segment=${{path##*/}}
    segment=/tmp/${{segment%%-*}}
    pgbackrest --log-level-console=off --log-level-stderr=error repo-get "archive/agent-board/$path" |
        zstd -dcq >"$segment"
    found=$(last "$segment")
    if [ -n "$found" ]; then echo "$found"; break; fi
    rm -f "$segment"
done
"""


def listing(stack: Stack) -> str:
    """Return a table of the backups, and the time from which on the board can be restored. Raises StackError."""
    backups.check_bundled(stack)
    found = backups.recorded(stack)
    if not found:
        return backups.NONE
    now = datetime.now(UTC)
    rows = [("BACKUP", "KIND", "COMPLETE (UTC)", "AGE", "SIZE", "VERIFIED", "TIMELINE")]
    rows += [
        (each.label, each.kind, f"{each.complete:%Y-%m-%d %H:%M:%S}", backups.age(now - each.complete),
         backups.size(each.bytes), "yes" if each.verified else "no", str(each.line[1]))
        for each in found
    ]  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    cells = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    table = "\n".join("  ".join(row).rstrip() for row in cells)
    said = listed(found, archived(stack), backups.running_timeline(stack), partial(last_transaction, stack))
    return f"{table}\n\n{said}"


def archived(stack: Stack) -> Log:
    """Return the archived log. Raises StackError."""
    listed = json.loads(backups.in_repository(stack, "repo-ls", "--recurse", "--output=json", "archive/agent-board"))
    found: dict[Line, dict[int, str]] = {}
    for path in listed:
        if segment := SEGMENT.fullmatch(path):
            found.setdefault((int(segment[1]), int(segment[2], 16)), {})[backups.number(segment[3])] = path
    return found


def following(backup: Backup, log: Log) -> list[str]:
    """Return the archived segments from the beginning of a backup on, up to the first gap, newest first."""
    segments, number, found = log.get(backup.line, {}), backup.segment, []
    while number in segments:
        found.append(segments[number])
        number += 1
    return found[::-1]


def last_transaction(stack: Stack, paths: Sequence[str]) -> datetime | None:
    """Return when the last transaction in some segments ended; None if they have none. Raises StackError."""
    if not paths:
        return None
    said = backups.beside_repository(stack, "sh", "-c", READ, "sh", *paths[:READ_MAX]).strip()
    return datetime.fromisoformat(said).replace(tzinfo=UTC) if said else None


def last_second(backup: Backup, end: datetime | None) -> datetime | None:
    """Return the last whole second to which a backup leads if the last transaction after it was at `end`; or None."""
    second = (end - timedelta(microseconds=1)).replace(microsecond=0) if end else None
    return second if second and second >= backup.complete else None


def listed(found: Sequence[Backup], log: Log, timeline: int | None, last: Last) -> str:
    """Return the sentence about the moments that can be restored.

    `timeline` is that of the running PostgreSQL, or None if none runs: its log goes on.
    """
    first: dict[str, Backup] = {}
    for each in found:
        if paths := following(each, log):
            first.setdefault(paths[0], each)
    running = max((each.line for each in found), default=(0, 0))
    spans = []
    for newest, backup in first.items():
        if backup.line == running and timeline == running[1] and newest == log[running][max(log[running])]:
            spans.append(f"since {backup.complete:%Y-%m-%d %H:%M:%S}")
        elif end := last_second(backup, last(following(backup, log))):
            spans.append(f"from {backup.complete:%Y-%m-%d %H:%M:%S} to {end:%Y-%m-%d %H:%M:%S}")
    said = f"make restore TIME='...' can go back to any second {', or '.join(spans)} (UTC)." if spans else NO_MOMENT
    if timeline is not None and timeline != running[1]:
        said += f" {backups.without_backup(timeline)}"
    return said


NO_MOMENT = "No backup leads to a moment: make restore without TIME restores all that was archived."


def check(stack: Stack, chosen: Backup, target: datetime) -> None:
    """Raise StackError if the log that follows a backup ends before a moment."""
    end = last_transaction(stack, following(chosen, archived(stack)))
    if end is None or target >= end:
        until = f"ends at {end:%Y-%m-%d %H:%M:%S} (UTC)" if end else "is missing"
        raise StackError(
            f"The board cannot be restored to {target:%Y-%m-%d %H:%M:%S} (UTC); nothing was changed. The newest backup "
            f"before it is on timeline {chosen.line[1]}, whose archived log {until}. make backups lists the moments; "
            "make restore without TIME restores all that was archived."
        )

"""Restores of the board to a moment: the newest backup before it, and the archived log from there on.

The files are restored next to the current ones while the board keeps serving. Then the directories change places, and
PostgreSQL replays the log. The directory that was replaced stays, and no id ever names two posts.
"""

import time
from collections.abc import Collection
from datetime import UTC, datetime

from deploy.compose import (
    backups,
    callers,
    disk,
    exports,
    lineage,
    moments,
    replaced_data,
    running,
    waiting,
)
from deploy.compose.backups import Backup
from deploy.compose.database import in_volume, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

STOPPED = (*exports.CLIENTS, "backup")
DATA = "$PGDATA"
RESTORED = "/var/lib/postgresql/restored"
# For an exchange that was made, made by half, or not begun. Without previous data, the restored ones stay.
UNDO = f"""set -e
if [ -e {{kept}} ]; then
    rm -rf {RESTORED}
    if [ -e "{DATA}" ]; then mv "{DATA}" {RESTORED}; fi
    mv {{kept}} "{DATA}"
    echo data
elif [ -e {RESTORED} ] && [ -e "{DATA}" ]; then echo data
fi
rm -rf {RESTORED}
"""
# With what an interrupted restore has left, because the next one removes that.
LOOK = f"""free=$(df -Pk /var/lib/postgresql | tail -n 1 | sed -E 's/([^ ]+ +){{3}}([0-9]+).*/\\2/')
left=$(du -sk {RESTORED} 2>/dev/null | cut -f 1)
echo $((free + ${{left:-0}}))
"""
SPARE_MEBIBYTES = 256
RESTORE_SECONDS = 12 * 3600.0
REPLAY_SECONDS = 12 * 3600.0
# A transaction of its own: PostgreSQL stops at the first one after the moment, so there must be one.
UNFINISHED = "The data were restored, but the board may not serve yet: make up completes it."
COMMIT = "SELECT pg_current_xact_id()"
CHECK = "PGPASSWORD=$(cat /run/secrets/postgres_password) exec pgbackrest --archive-timeout=30 check"


def restore(stack: Stack, file: str, moment: str) -> str:
    """Restore an exported file, or the board as it was at a moment; with neither, all that was archived.

    Raises StackError.
    """
    if file and moment:
        raise StackError("Give FILE or TIME, not both: a file contains the board at one moment only.")
    return exports.restore(stack, file) if file else restore_to(stack, moment)


def restore_to(stack: Stack, moment: str) -> str:
    """Restore the board as it was at a moment, or with everything that was archived. Raises StackError."""
    target = parse(moment) if moment else None
    backups.check_bundled(stack)
    replaced_data.limit(stack)
    running.make_secrets(stack)
    # Now, because it can take long, and the board does not serve later.
    missing = running.obtain(stack)
    lineage.check_records(stack.configuration)
    serving = any(each.well for each in stack.containers("postgresql"))
    if serving:
        archive_all(stack)
    chosen = choose(backups.recorded(stack), target, datetime.now(UTC))
    if target:
        moments.check(stack, chosen, target)
    check_room(chosen, free_mebibytes(stack))
    started = time.monotonic()
    with callers.watching(stack.configuration) as outage:
        with lineage.interrupted("Nothing was changed: the board has the data from before."):
            fetch(stack, chosen, target)
        name = f"{replaced_data.DIRECTORY}{datetime.now(UTC):%Y%m%dt%H%M%Sz}"
        kept = replace(stack, f"make restore{f' TIME={moment!r}' if moment else ''}", name, target, missing)
        with lineage.interrupted(UNFINISHED):
            end = complete(stack, missing)
    with lineage.interrupted(UNFINISHED):
        replaced_data.drop_oldest(stack)
        new_backup(stack)
    was = f"The previous data are kept in {name}." if kept else "There was no previous data."
    what = f"as it was at {target:%Y-%m-%d %H:%M:%S} (UTC)" if target else "with everything that was archived"
    return (
        f"The board was restored {what}, from backup {chosen.label}, in {end - started:.0f} seconds; it was down for "
        f"{outage.seconds:.0f} of them. {was}"
    )


def replace(stack: Stack, work: str, name: str, target: datetime | None, missing: Collection[str]) -> bool:
    """Put the restored data in the place of the current ones, and replay the log; return whether there were any.

    Whatever fails or interrupts this is undone. Raises StackError.
    """
    kept = False
    try:
        stack.compose("stop", *STOPPED)
        lineage.begin_restore(stack, work, name)
        stack.compose("stop", "postgresql")
        kept = exchange(stack, name)
        replay(stack, target)
    except BaseException as error:
        with lineage.undisturbed(stack):
            undone = undo(stack, name, missing)
        if isinstance(error, KeyboardInterrupt):
            raise KeyboardInterrupt(undone) from None
        raise
    return kept


def complete(stack: Stack, missing: Collection[str]) -> float:
    """Start the board with the restored data; return the time at which it serves. Raises StackError."""
    lineage.end_restore(stack)
    if unwell := running.start(stack, missing):
        print(unwell, flush=True)
    end = time.monotonic()
    if bare := disk.add_ballast(stack):
        print(bare, flush=True)
    lineage.remember(stack)
    return end


def free_mebibytes(stack: Stack) -> int:
    """Return the room for restored data on PostgreSQL's disk, in MiB. Raises StackError."""
    return int(in_volume(stack, LOOK)) // 1024


def check_room(chosen: Backup, free_mebibytes: int) -> None:
    """Raise StackError if the restored files could fill the disk, on which PostgreSQL writes meanwhile."""
    needed = chosen.data_bytes // 2**20 + SPARE_MEBIBYTES
    if free_mebibytes < needed:
        raise StackError(
            f"The restored data need {needed} MiB on PostgreSQL's disk next to the current ones; {free_mebibytes} are "
            "free. Nothing was changed."
        )


def parse(moment: str) -> datetime:
    """Return a moment given as '2026-11-23 15:04:00', in UTC unless it has an offset. Raises StackError."""
    try:
        parsed = datetime.fromisoformat(moment.strip())
    except ValueError:
        raise StackError(f"{moment!r} is not a time; give one such as TIME='2026-11-23 15:04:00', in UTC.") from None
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def choose(found: list[Backup], target: datetime | None, now: datetime) -> Backup:
    """Return the newest backup that was complete before the moment. Raises StackError."""
    if not found:
        raise StackError("The repository contains no backup.")
    if target is None:
        return found[-1]
    if target > now:
        raise StackError(f"{target:%Y-%m-%d %H:%M:%S} (UTC) is in the future; it is {now:%Y-%m-%d %H:%M:%S}.")
    before = [each for each in found if each.complete <= target]
    if not before:
        first = f"{found[0].complete:%Y-%m-%d %H:%M:%S}"
        raise StackError(f"The first backup was complete at {first} (UTC); the board cannot go back further.")
    return before[-1]


def archive_all(stack: Stack) -> None:
    """Archive the log up to now. Warn if that fails: then only the archived part can be restored."""
    try:
        value(stack, COMMIT)
        stack.ask("exec", "-T", "backup", "sh", "-c", CHECK, seconds=120)
    except StackError as error:
        print(f"Warning: the newest part of the log could not be archived. {error}", flush=True)


def fetch(stack: Stack, chosen: Backup, target: datetime | None) -> None:
    """Restore a backup's files into a directory next to the current data. Raises StackError."""
    options = [f"--set={chosen.label}"]
    if target:
        # On the timeline of the backup: a later restore may have left it, and must not decide what was at that moment.
        moment = f"--target='{target:%Y-%m-%d %H:%M:%S.%f+00}'"
        options += ["--type=time", moment, "--target-action=promote", "--target-timeline=current"]
    # The path of the log's archive is not stored with the files, because it is not given on the command line.
    script = (
        f"rm -rf {RESTORED} && mkdir -m 700 {RESTORED} && "
        f"PGBACKREST_PG1_PATH={RESTORED} exec pgbackrest restore {' '.join(options)}"
    )
    try:
        in_volume(stack, script, RESTORE_SECONDS)
    except StackError as error:
        raise StackError(
            f"Backup {chosen.label} cannot be restored; nothing was changed. make restore TIME='...' starts from an "
            f"earlier one, and make backup makes a new one of a board that runs. The reason: {error}"
        ) from None


def exchange(stack: Stack, name: str) -> bool:
    """Put the restored data in the place of the current ones; return whether there were any. Raises StackError."""
    script = f"""set -e
mkdir -p "$(dirname "{DATA}")"
if [ -e "{DATA}" ]; then mv "{DATA}" {name}; echo kept; fi
mv {RESTORED} "{DATA}"
"""
    return in_volume(stack, script).strip().endswith("kept")


def undo(stack: Stack, name: str, missing: Collection[str]) -> str:
    """Put the previous data back and start what ran; return what that means. Raises StackError."""
    lineage.end_exchange(stack)
    # The engine goes on stopping what an interrupted command began to stop.
    stack.compose("stop", *STOPPED, "postgresql")
    if not in_volume(stack, UNDO.format(kept=name)).strip().endswith("data"):
        return "There were no data before. make restore, run again, restores the board."
    lineage.forget_restore(stack)
    running.start(stack, missing)
    return "It was undone: the board serves with the data from before."


def replay(stack: Stack, target: datetime | None) -> None:
    """Start PostgreSQL, and wait until it has replayed the log and accepts writes. Raises StackError."""
    stack.compose("up", "--detach", "--no-build", "postgresql")
    deadline = time.monotonic() + REPLAY_SECONDS
    while not writable(stack):
        servers = stack.containers("postgresql")
        if not servers:
            raise StackError("Another command removed PostgreSQL's container; nothing was changed.")
        if servers[0].restarts or servers[0].status in ("exited", "dead"):
            raise StackError(why(stack, waiting.last_words(stack, servers[0], 40), target))
        if time.monotonic() > deadline:
            raise StackError("PostgreSQL did not replay the log in time; nothing was changed.")
        time.sleep(0.5)


def writable(stack: Stack) -> bool:
    try:
        return value(stack, "SELECT pg_is_in_recovery()") == "f"
    except StackError:
        return False


def why(stack: Stack, words: str, target: datetime | None) -> str:
    if "recovery ended before configured recovery target was reached" in words and target:
        return (
            f"The archived log ends before {target:%Y-%m-%d %H:%M:%S} (UTC); nothing was changed. "
            "make restore without TIME restores all that was archived."
        )
    return f"PostgreSQL cannot use the restored data; nothing was changed. Its last log lines:{words[-1500:]}"


def new_backup(stack: Stack) -> None:
    """Make a backup of the restored board: an older one cannot lead to what happens from now on."""
    try:
        backups.adopt(stack)
        print(backups.backup(stack), flush=True)
    except StackError as error:
        print(f"Warning: {error} Until a backup succeeds, the board cannot be restored to later times.", flush=True)

"""Room on PostgreSQL's disk: how much is free, and a ballast file that can be freed when nothing else can.

PostgreSQL cannot start while its disk has no room for the write-ahead log. Removing the ballast gives it that room
without another disk.
"""

import time
from dataclasses import dataclass

from deploy.compose import backups, images, waiting
from deploy.compose.database import SERVER, beside_data, in_volume
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

FOLDER = "/var/lib/postgresql"
BALLAST = f"{FOLDER}/ballast"
LEAST_FREE_MEBIBYTES = 512
# A new ballast must leave several times its own size free.
ROOM = 4
LOOK = f"df -Pk {FOLDER} | tail -n 1; if [ -e {BALLAST} ]; then echo ballast; fi"
RUNBOOK = "deploy/observability/runbooks/PostgreSQLDisk.md names the ways to make room."
START_SECONDS = 600
RESTARTS_MAX = 2


@dataclass(frozen=True)
class Room:
    """The disk of the data and the write-ahead log: where it is, how much is free, and whether it has a ballast."""

    place: str
    free_mebibytes: int
    has_ballast: bool

    def __str__(self) -> str:
        return f"PostgreSQL's disk ({self.place}) has {self.free_mebibytes} MiB free"


def room(stack: Stack) -> Room:
    """Return the room on the disk of a PostgreSQL, even if it does not run. Raises StackError."""
    lines = beside_data(stack, LOOK).splitlines()
    disk = next(line.split() for line in lines if line.endswith(FOLDER))
    place = f"POSTGRES_VOLUME={stack.configuration['POSTGRES_VOLUME']} on {disk[0]}"
    return Room(place, int(disk[3]) // 1024, "ballast" in lines)


def add_ballast(stack: Stack) -> str:
    """Create the ballast file if it is missing and there is room; return a warning if there is none.

    Raises StackError.
    """
    size = int(stack.configuration.number("BALLAST_MEBIBYTES"))
    found = room(stack)
    if size and not found.has_ballast and found.free_mebibytes > ROOM * size:
        # Written, not only allocated: some file systems would otherwise take nothing from the disk.
        fill = f"dd if=/dev/urandom of={BALLAST} bs=1M count={size} status=none || rm -f {BALLAST}"
        stack.compose("exec", "-T", SERVER, "sh", "-c", fill)
        found = room(stack)
    return f"Warning: {missing}" if (missing := without_ballast(found, size)) else ""


def without_ballast(found: Room, size: int) -> str:
    """Return a sentence if a disk lacks its ballast of a size in MiB, of which 0 means none; otherwise nothing."""
    if not size or found.has_ballast:
        return ""
    return (
        f"There is no ballast on PostgreSQL's disk, so make drop-ballast could free nothing. {found}; make up adds "
        f"{size} MiB of ballast when more than {ROOM * size} MiB are free."
    )


def drop_ballast(stack: Stack) -> str:
    """Remove the ballast file, even if PostgreSQL cannot start, and wait until PostgreSQL runs. Raises StackError."""
    backups.check_bundled(stack)
    images.provide(stack, "postgresql")
    had = room(stack).has_ballast
    in_volume(stack, f"rm -f {BALLAST}")
    revive(stack)
    found = room(stack)
    if not had:
        raise StackError(f"There was no ballast to free. PostgreSQL runs. {found}. {RUNBOOK}")
    return (
        f"PostgreSQL has the room of the ballast again, and runs. {found}. Now make more room, then run make up, which "
        f"adds a new ballast: {RUNBOOK}"
    )


def revive(stack: Stack) -> None:
    """Start PostgreSQL again unless it is healthy, and wait until it is. Raises StackError."""
    before = stack.containers(SERVER)
    if before and all(each.well for each in before):
        return
    if before:
        stack.compose("restart", "--timeout", "30", SERVER)
    else:
        stack.compose("up", "--detach", "--no-build", "--no-deps", SERVER)
    deadline = time.monotonic() + START_SECONDS
    while not all((found := each).well for each in stack.containers(SERVER)):
        if found.restarts > RESTARTS_MAX or time.monotonic() > deadline:
            words = waiting.last_words(stack, found, 15)
            raise StackError(f"PostgreSQL still does not run. {room(stack)}. {RUNBOOK} Its last log lines:{words}")
        time.sleep(0.5)


def check(stack: Stack) -> None:
    """Raise StackError if PostgreSQL's disk is almost full or lacks its ballast."""
    found = room(stack)
    wrong = [without_ballast(found, int(stack.configuration.number("BALLAST_MEBIBYTES")))]
    if found.free_mebibytes < LEAST_FREE_MEBIBYTES:
        wrong.insert(0, f"{found}; when it is full, every write fails. {RUNBOOK}")
    if any(wrong):
        raise StackError(" ".join(filter(None, wrong)))

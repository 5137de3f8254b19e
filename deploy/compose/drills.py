"""Drills: the newest backup is restored next to the running board, compared with what was published, and removed.

A drill has a Compose project of its own, so the removal can reach neither the board's data nor the repository.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from deploy.compose import backups, images, measurements, recovery, signals, waiting
from deploy.compose.backups import Backup
from deploy.compose.configuration import Configuration
from deploy.compose.database import in_volume, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

SPARE_MEBIBYTES = 1024
REMOVAL_SECONDS = 120
# A command of Compose that is interrupted may create a last volume meanwhile.
SETTLING_SECONDS = 3
# It refuses a directory that holds data.
PUT = 'test ! -e "$PGDATA" && mkdir -p "$(dirname "$PGDATA")" && mv /var/lib/postgresql/restored "$PGDATA"'
REPLAYED = "SELECT date_trunc('second', pg_last_xact_replay_timestamp())"
METRICS = """\
# HELP agent_board_drill_timestamp_seconds When a backup was last restored and verified by a drill.
# TYPE agent_board_drill_timestamp_seconds gauge
agent_board_drill_timestamp_seconds {ended}
# HELP agent_board_drill_duration_seconds How long that drill took to restore the backup and to verify it.
# TYPE agent_board_drill_duration_seconds gauge
agent_board_drill_duration_seconds {seconds:.1f}
"""


def drill(stack: Stack) -> str:
    """Restore the newest backup next to the board, verify it, remove it, and record that. Raises StackError."""
    backups.check_bundled(stack)
    with alone(stack.configuration):
        chosen = recovery.choose(backups.recorded(stack), None, datetime.now(UTC))
        began = time.monotonic()
        with removed(beside(stack)) as copy:
            said = rehearse(copy, chosen)
        report(stack.configuration, time.time(), time.monotonic() - began)
    return said


def beside(stack: Stack) -> Stack:
    """Return the project of the drill. Raises StackError."""
    name = stack.project
    files = f"{stack.configuration['COMPOSE_FILE']}:drill.yaml"
    own = {"COMPOSE_PROJECT_NAME": f"{name}-drill", "COMPOSE_FILE": files, "DRILL_OF": name}
    return Stack(Configuration({**stack.configuration.environment, **own}))


def rehearse(copy: Stack, chosen: Backup) -> str:
    """Restore a backup with all of its log and verify it; return how long it took and how old it was.

    Raises StackError.
    """
    began, now = time.monotonic(), datetime.now(UTC)
    for service in images.BUILT:
        images.provide(copy, service)
    check_room(chosen, int(in_volume(copy, "df -Pk /var/lib/postgresql").split()[-3]) // 1024)
    recovery.fetch(copy, chosen, None)
    in_volume(copy, PUT)
    recovery.replay(copy, None)
    end_of_log = replayed(copy, chosen)
    restored = time.monotonic()
    verified = verify(copy)
    end = time.monotonic()
    return (
        f"Backup {chosen.label}, {backups.age(now - chosen.complete)} old, was restored in {restored - began:.0f} "
        f"seconds, with the log up to {end_of_log} (UTC), and verified in {end - restored:.0f}. "
        f"{verified} The copy was removed."
    )


def replayed(copy: Stack, chosen: Backup) -> str:
    """Return the moment of the last change in the log, or the end of the backup if no change was replayed."""
    return value(copy, REPLAYED).removesuffix("+00") or f"{chosen.complete:%Y-%m-%d %H:%M:%S}"


def check_room(chosen: Backup, free_mebibytes: int) -> None:
    """Raise StackError if the copy could fill the disk, on which the board's own data may be."""
    needed = chosen.data_bytes // 2**20 + SPARE_MEBIBYTES
    if free_mebibytes < needed:
        raise StackError(
            f"The drill needs {needed} MiB on the disk of the engine's volumes; {free_mebibytes} are free."
        )


def verify(copy: Stack) -> str:
    """Bring the copy to this release's schema and compare it with its log; return the result. Raises StackError."""
    once = ("run", "--rm", "--no-deps", "-T", "migrate")
    copy.ask(*once, seconds=3600)
    try:
        copy.compose(*once, "agent-board", "verify")
    except StackError:
        raise StackError("The restored board is not what was published; the differences are above.") from None
    return "Ids, receipts and inboxes are those of the log."


def report(configuration: Configuration, ended: float, seconds: float) -> None:
    """Write the time of a good drill, in Unix seconds, and its duration where the monitoring reads them."""
    measurements.write(configuration, "drill", METRICS.format(ended=int(ended), seconds=seconds))


@contextmanager
def removed(copy: Stack) -> Iterator[Stack]:
    """Remove the copy at the end, however that comes; at the start, remove what a killed drill has left."""
    remove(copy)
    settling = SETTLING_SECONDS
    try:
        yield copy
        settling = 0
    finally:
        # Another signal must interrupt neither the removal nor its commands.
        copy.out_of_reach = True
        with signals.ignored():
            waiting.until(lambda: remove(copy, settling), REMOVAL_SECONDS, "The copy could not be removed.")


def remove(copy: Stack, settling: float = 0) -> bool:
    """Remove what there is of the copy; return whether nothing appeared while an interrupted command ended."""
    copy.compose("--profile", "*", "down", "--volumes", "--remove-orphans", "--timeout", "1")
    time.sleep(settling)
    label = f"label=com.docker.compose.project={copy.configuration['COMPOSE_PROJECT_NAME']}"
    kinds = (("ps", "--all"), ("volume", "ls"), ("network", "ls"))
    return not any(copy.docker(*kind, "--quiet", "--filter", label).strip() for kind in kinds)


@contextmanager
def alone(configuration: Configuration) -> Iterator[None]:
    """Raise StackError if another drill is running: it would be removed."""
    # Not the file of the settings: writing a setting replaces it, and a lock stays with the file that was replaced.
    descriptor = os.open(configuration.file.parent, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StackError("Another drill is running.") from None
        yield
    finally:
        os.close(descriptor)

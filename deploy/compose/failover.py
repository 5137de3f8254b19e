"""Fail-over: the standby takes the place of PostgreSQL, on a new timeline.

The primary is stopped first and never starts again with its data. Until the settings name the other volume, nothing has
changed; from then on, a second run completes an interrupted one.
"""

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NoReturn

from deploy.compose import backups, disk, lineage, recovery, standby, waiting
from deploy.compose.backups import check_bundled
from deploy.compose.configuration import Configuration
from deploy.compose.database import execute, in_volume, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

UNASKED_SECONDS = 60
"""Posts of a longer time are given up only with FORCE=yes."""
START_SECONDS = 600.0
CONTROL = 'LC_ALL=C pg_controldata "$PGDATA"'
LAST = re.compile(r"state: +shut down\n.*Latest checkpoint location: +([0-9A-F]+/[0-9A-F]+)\n", re.DOTALL)
HAS = "SELECT greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) > '{}'"
REPLAYED = "SELECT coalesce(extract(epoch FROM pg_last_xact_replay_timestamp()), 0)"
OF_A_STANDBY = ("primary_conninfo", "primary_slot_name", "restore_command", "recovery_target_timeline")


@dataclass(frozen=True)
class Loss:
    """The writes that the standby may lack: those acknowledged after `since`, or none if that is None; and why."""

    since: float | None
    why: str

    def __str__(self) -> str:
        if self.since is None:
            return f"No acknowledged post was lost: {self.why}."
        if not self.since:
            return f"It is unknown which posts were lost: {self.why}."
        return f"At most the posts that were acknowledged since {shown(self.since)} were lost: {self.why}."


def failover(stack: Stack, force: str) -> str:
    """Let the standby take the place of PostgreSQL; `force` is "yes" to accept losses. Raises StackError."""
    if force not in ("", "yes"):
        raise StackError("FORCE must be yes, or not given.")
    check_bundled(stack)
    standby.check_configured(stack)
    began = time.monotonic()
    said = "" if is_exchanged(stack) else f"{replace(stack, force == 'yes')} "
    # Only just exchanged, the standby's data have not been promoted yet.
    timeline = promote(stack, only_standby=bool(said))
    if lineage.is_restoring(stack):
        lineage.end_restore(stack)
    resume(stack)
    seconds = time.monotonic() - began
    print(disk.add_ballast(stack), end="", flush=True)
    lineage.remember(stack)
    recovery.new_backup(stack)
    return (
        f"{said}The standby has taken the place of PostgreSQL on timeline {timeline}, in {seconds:.0f} seconds. The "
        f"data of the old primary stay in {stack.configuration['STANDBY_VOLUME']} until make standby replaces them; "
        "there is no standby until then."
    )


def replace(stack: Stack, force: bool) -> Loss:
    """Fence the primary, and exchange the volumes. Raises StackError, and PostgreSQL is then as before."""
    volumes = {"POSTGRES_VOLUME": "STANDBY_VOLUME", "STANDBY_VOLUME": "POSTGRES_VOLUME"}
    exchanged = {name: stack.configuration[other] for name, other in volumes.items()}
    check_exchange(stack, exchanged)
    check_ready(stack, force)
    lineage.remember(stack)
    stack.compose("stop", "postgresql")
    lost = loss(stack)
    if lost.since is not None:
        accept(stack, lost, force)
    stack.compose("rm", "--stop", "--force", "postgresql", standby.NAME, "backup")
    stack.configuration.write(**exchanged)
    return lost


def check_exchange(stack: Stack, exchanged: Mapping[str, str]) -> None:
    """Raise StackError unless these settings would give PostgreSQL the standby's data."""
    after = Stack(Configuration({**stack.configuration.environment, **exchanged})).described()["services"]
    if standby.place(after["postgresql"]) != standby.place(stack.described()["services"][standby.NAME]):
        raise StackError(
            "make failover cannot exchange the volumes: a file in COMPOSE_FILE gives PostgreSQL another one than "
            "POSTGRES_VOLUME."
        )


def check_ready(stack: Stack, force: bool) -> None:
    """Raise StackError if there is no standby to promote, or if it is behind a primary that answers."""
    if ask(stack, "SELECT pg_is_in_recovery()") != "t":
        raise StackError("There is no standby to promote; make standby makes one while PostgreSQL runs.")
    try:
        found = standby.following(stack)
    except StackError:
        return
    if not force and (found is None or found.is_behind):
        far = found or "The standby does not follow PostgreSQL."
        raise StackError(f"{far} PostgreSQL still answers, so let it catch up, or give FORCE=yes to lose the rest.")


def loss(stack: Stack) -> Loss:
    """Return what the standby lacks of a primary that was stopped."""
    if (last := end_of_log(stack)) and ask(stack, HAS.format(last)) == "t":
        return Loss(None, "the primary has sent its whole log")
    if standby.has_all_acknowledged(stack):
        return Loss(None, "every write has waited for the standby")
    since = max(standby.current_until(stack.configuration), float(ask(stack, REPLAYED) or 0))
    return Loss(since, "writes did not wait for the standby, and the primary did not stop cleanly")


def accept(stack: Stack, lost: Loss, force: bool) -> None:
    """Prepare for lost posts, whose ids must not be given again. Raises StackError if they are too many."""
    if not force and time.time() - (lost.since or 0) > UNASKED_SECONDS:
        if stack.containers("postgresql"):
            stack.compose("start", "postgresql")
        raise StackError(
            f"{lost} If PostgreSQL has been away since then, nothing was lost. Give FORCE=yes to promote the standby."
        )
    # No post may get an id before the ids of lost ones are passed over.
    stack.compose("stop", "api", "fanout")
    lineage.begin_restore(stack, "make failover")


def promote(stack: Stack, only_standby: bool) -> str:
    """Start PostgreSQL with the standby's data, promote it, and return its timeline. Raises StackError.

    With `only_standby`, PostgreSQL must not accept writes before.
    """

    def started() -> bool:
        state = replication_state(stack)
        if only_standby and state == "f":
            refuse(stack)
        return state != ""

    stack.compose("up", "--detach", "--no-build", "--no-deps", "postgresql")
    waiting.until(started, START_SECONDS, "PostgreSQL does not start with the standby's data.")
    # First: writes would wait for a standby that is not there.
    reset(stack, "synchronous_standby_names")
    if replication_state(stack) == "t":
        execute(stack, commands=["SELECT pg_promote(false)"])
    waiting.until(
        lambda: replication_state(stack) == "f", START_SECONDS, "The promotion takes too long; run make failover again."
    )
    reset(stack, *OF_A_STANDBY)
    return str(backups.running_timeline(stack))


def refuse(stack: Stack) -> NoReturn:
    """Stop a PostgreSQL that runs with other data than the standby's. Raises StackError."""
    stack.compose("stop", "postgresql")
    raise StackError(
        f"PostgreSQL was stopped: {stack.configuration['POSTGRES_VOLUME']}, which POSTGRES_VOLUME names, does not hold "
        "the standby's data. Name the volume that does in .env, and run make failover again."
    )


def resume(stack: Stack) -> None:
    """Start what ran before, with PostgreSQL's new volume where it is used. Raises StackError."""
    # Nothing else is given to `up`, which would replace HAProxy and the API processes if their settings have changed.
    watching = {each.service for each in stack.containers("node-exporter")} if stack.runs("node-exporter") else set()
    stack.compose("up", "--detach", "--no-build", "--wait", "postgresql", "backup", *watching)
    stack.compose("start", "api", "fanout")
    waiting.until_balanced(stack, len(stack.containers("api")))


def reset(stack: Stack, *names: str) -> None:
    """Give settings of PostgreSQL their defaults. Raises StackError."""
    execute(stack, commands=[*(f"ALTER SYSTEM RESET {name}" for name in names), "SELECT pg_reload_conf()"])


def is_exchanged(stack: Stack) -> bool:
    """Return whether an earlier run has exchanged the volumes, but not promoted the standby."""
    signal = 'test -e "$PGDATA/standby.signal" && echo yes || echo no'
    try:
        return in_volume(stack, signal).strip() == "yes"
    except StackError:
        return False


def end_of_log(stack: Stack) -> str:
    """Return the position of the last record of a primary that has stopped cleanly; else nothing."""
    try:
        found = LAST.search(in_volume(stack, CONTROL))
    except StackError:
        return ""
    return found[1] if found else ""


def replication_state(stack: Stack) -> str:
    try:
        return value(stack, "SELECT pg_is_in_recovery()")
    except StackError:
        return ""


def ask(stack: Stack, query: str) -> str:
    return standby.answer(stack, f'psql --no-psqlrc --username=postgres --tuples-only --no-align --command="{query}"')


def shown(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} (UTC)"

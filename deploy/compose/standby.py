"""The standby of PostgreSQL: making it, how far it is behind, and whether commits wait for it.

`synchronous` on its volume marks a standby that has every acknowledged commit, until `make standby` says otherwise.
"""

import time
from dataclasses import dataclass

from deploy.compose import waiting
from deploy.compose.backups import check_bundled
from deploy.compose.configuration import Configuration
from deploy.compose.database import execute, run_in_postgresql, value
from deploy.compose.errors import StackError
from deploy.compose.measurements import measured
from deploy.compose.stack import Stack

NAME = "standby"
"""Of the service, its replication slot, and the standby in PostgreSQL's settings."""
BEHIND_MEBIBYTES = 64
FIRST_CONTACT_SECONDS = 30
COPY_SECONDS = 12 * 3600.0
CATCH_UP_SECONDS = 3600.0
RESTARTS_MAX = 2
MARK = "/var/lib/postgresql/synchronous"
FOLLOWS = f"""
SELECT state, sync_state, pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::bigint
FROM pg_stat_replication WHERE application_name = '{NAME}' AND replay_lsn IS NOT NULL
"""
FREE_SLOT = f"""
SELECT pg_terminate_backend(active_pid, 10000) FROM pg_replication_slots WHERE slot_name = '{NAME}';
SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '{NAME}'
"""
# pg_hba.conf of the official image lets only clients in.
LET_IN = r"""
line='host replication postgres all scram-sha-256'
grep -qxF "$line" "$PGDATA/pg_hba.conf" || echo "$line" >>"$PGDATA/pg_hba.conf"
"""
RELOAD = "SELECT pg_reload_conf()"


@dataclass(frozen=True)
class Following:
    """A standby that is connected, and how much of the log it has not replayed yet."""

    streams: bool
    synchronous: bool
    bytes: int

    @property
    def is_behind(self) -> bool:
        return not self.streams or self.bytes > BEHIND_MEBIBYTES * 2**20

    def __str__(self) -> str:
        waits = "wait" if self.synchronous else "do not wait"
        return f"The standby is {self.bytes / 2**20:.1f} MiB behind PostgreSQL; writes {waits} for it."


def standby(stack: Stack) -> str:
    """Make the standby unless it follows PostgreSQL already; return how far it is behind. Raises StackError."""
    check_bundled(stack)
    check_configured(stack)
    if not is_synchronous(stack.configuration):
        stop_waiting(stack)
    if not has_contact(stack):
        copy(stack)
    waiting.until(lambda: is_current(stack), CATCH_UP_SECONDS, "The standby does not catch up; run make doctor.")
    if is_synchronous(stack.configuration):
        wait_for_it(stack)
    return str(following(stack))


def check_configured(stack: Stack) -> None:
    """Raise StackError unless the stack has a standby with a place of its own."""
    if not stack.runs(NAME):
        raise StackError("Add the standby first: COMPOSE_FILE=compose.yaml:standby.yaml in .env, then make up.")
    services = stack.described()["services"]
    places = {place(services[name]) for name in ("postgresql", NAME)}
    if len(places) == 1:
        raise StackError("POSTGRES_VOLUME and STANDBY_VOLUME are the same; a standby needs a volume of its own.")


def place(service: dict[str, list[dict[str, str]]]) -> str:
    """Return the volume or the path of a service's data, from its description."""
    return next(each["source"] for each in service["volumes"] if each["target"] == "/var/lib/postgresql")


def is_synchronous(configuration: Configuration) -> bool:
    """Return whether the operator wants writes to wait for the standby. Raises StackError."""
    wanted = configuration["STANDBY_SYNCHRONOUS"]
    if wanted not in ("true", "false"):
        raise StackError("STANDBY_SYNCHRONOUS must be true or false.")
    return wanted == "true"


def following(stack: Stack) -> Following | None:
    """Return how the standby follows PostgreSQL; None if it has no connection. Raises StackError."""
    rows = value(stack, FOLLOWS).splitlines()
    if not rows:
        return None
    state, waits, count = rows[0].split("|")
    return Following(state == "streaming", waits == "sync", int(count))


def has_contact(stack: Stack) -> bool:
    """Return whether the standby follows PostgreSQL. Give one that was just started some time. Raises StackError."""
    deadline = time.monotonic() + FIRST_CONTACT_SECONDS
    while is_copy(stack):
        if following(stack):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.5)
    return False


def is_copy(stack: Stack) -> bool:
    """Return whether the standby runs and has a copy of the primary to follow it with."""
    return answer(stack, 'test -e "$PGDATA/standby.signal" && echo yes') == "yes"


def is_current(stack: Stack) -> bool:
    """Return whether the standby has almost all of the log. Raises StackError if it exits again and again."""
    for each in stack.containers(NAME):
        if each.status == "restarting" and each.restarts > RESTARTS_MAX:
            raise StackError(f"The standby cannot start; its last log lines:{waiting.last_words(stack, each)}")
    found = following(stack)
    return found is not None and not found.is_behind


def copy(stack: Stack) -> None:
    """Empty the standby's volume, copy PostgreSQL into it, and start the standby. Raises StackError."""
    print("Copying PostgreSQL to the standby", flush=True)
    stop_waiting(stack)
    stack.compose("rm", "--stop", "--force", NAME)
    execute(stack, commands=[FREE_SLOT])
    run_in_postgresql(stack, "sh", "-c", LET_IN)
    execute(stack, commands=[RELOAD])
    stack.ask("run", "--rm", "--no-deps", "-T", NAME, "copy", seconds=COPY_SECONDS)
    stack.compose("up", "--detach", "--no-build", "--no-deps", NAME)


def wait_for_it(stack: Stack) -> None:
    """Let every commit wait for the standby, and return once they do. Raises StackError."""
    execute(stack, commands=[f"ALTER SYSTEM SET synchronous_standby_names = '{NAME}'", RELOAD])
    waiting.until(
        lambda: (found := following(stack)) is not None and found.synchronous,
        CATCH_UP_SECONDS,
        "The standby does not confirm writes, so writes fail; run make doctor.",
    )
    stack.compose("exec", "-T", NAME, "touch", MARK)


def stop_waiting(stack: Stack) -> None:
    """Let commits wait for no standby. Raises StackError."""
    answer(stack, f"rm -f {MARK}")
    execute(stack, commands=["ALTER SYSTEM RESET synchronous_standby_names", RELOAD])


def has_all_acknowledged(stack: Stack) -> bool:
    """Return whether writes have waited for the running standby, so that it has every acknowledged one."""
    return is_synchronous(stack.configuration) and answer(stack, f"test -e {MARK} && echo yes") == "yes"


def discard(stack: Stack) -> None:
    """Stop the standby of data that a restore has replaced, and let commits wait for none. Raises StackError."""
    stop_waiting(stack)
    answer(stack, 'rm -f "$PGDATA/standby.signal"')
    if stack.containers(NAME):
        stack.compose("restart", NAME)


def end(stack: Stack) -> None:
    """End a standby that the settings no longer have: nothing waits for it or keeps log for it. Raises StackError."""
    services = stack.described()["services"]
    if NAME in services or "postgresql" not in services:
        return
    left = [each.id for each in stack.containers() if each.service == NAME]
    if not left and not current_until(stack.configuration):
        return
    if left:
        stack.docker("rm", "--force", *left)
    stack.compose("up", "--detach", "--no-build", "--wait", "postgresql")
    stop_waiting(stack)
    execute(stack, commands=[FREE_SLOT])


def renew(stack: Stack) -> None:
    """Make the standby again after a restore."""
    try:
        print(standby(stack), flush=True)
    except StackError as error:
        print(f"Warning: there is no standby. {error}", flush=True)


def current_until(configuration: Configuration) -> float:
    """Return until when the standby has replayed everything, in Unix seconds, as it reported last; 0 if never."""
    return measured(configuration, NAME) or 0.0


def check(stack: Stack) -> None:
    """Raise StackError if PostgreSQL should have a standby, and has none that could take its place at once."""
    if value(stack, "SELECT pg_is_in_recovery()") == "t":
        raise StackError("PostgreSQL accepts no writes: make failover was interrupted. Run it again.")
    if not stack.runs(NAME):
        return
    found = following(stack)
    if found is None:
        raise StackError("PostgreSQL has no standby; make standby makes one.")
    if found.is_behind:
        raise StackError(f"{found} deploy/observability/runbooks/StandbyBehind.md names the causes.")
    if found.synchronous != is_synchronous(stack.configuration):
        raise StackError(f"{found} STANDBY_SYNCHRONOUS says otherwise; make standby applies it.")


def answer(stack: Stack, script: str) -> str:
    """Return what a script prints in the standby's container; nothing if it fails or the container does not run."""
    try:
        return stack.ask("exec", "-T", NAME, "sh", "-c", script).strip()
    except StackError:
        return ""

"""Restores of the board with pgBackRest: to a moment, or with everything that was archived.

The files are restored next to the current ones. A PostgreSQL that only this machine's operator reaches replays the log
into them, and `agent-board leave-ids-out` prepares the board there. One exchange of directories ends the restore. Until
then the data from before is in place, whatever interrupts it; afterwards it stays next to the new data.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import Final

from deploy.compose import backups, images, restore_points, running, starting, waiting
from deploy.compose.database import SERVER, in_volume, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

WRITERS: Final = ("api", "fanout", "backup")
FOLDER: Final = "/var/lib/postgresql"
RESTORED: Final = f"{FOLDER}/restored"
# With what an interrupted restore has left, because the next one removes that.
LOOK: Final = f"rm -rf {RESTORED}; df -Pk {FOLDER} | awk 'NR == 2 {{print $4}}'"
SPARE_MEBIBYTES: Final = 256
RESTORE_SECONDS: Final = 12 * 3600.0
# It archives nothing before it is the board's: another try may begin the same timeline.
REPLAYING: Final = ("--archive_mode=on", "--archive_command=false", "--hot_standby=off", "--synchronous_standby_names=",
                    "--max_wal_size=2GB", "--timezone=UTC", "--log_timezone=UTC")  # fmt: skip
# PostgreSQL stops at the first transaction after the moment, so there must be one.
COMMIT: Final = "SELECT pg_current_xact_id()"
CHECK: Final = "PGPASSWORD=$(cat /run/secrets/postgres_password) exec pgbackrest --archive-timeout=30 check"
# The service's addresses of the database lead to the board from before.
PREPARE: Final = """set -e
restored() {{ sed 's/@postgresql:/@{server}:/' "$1"; }}
DATABASE_URL=$(restored "$DATABASE_URL_FILE")
READ_DATABASE_URL=$(restored "$READ_DATABASE_URL_FILE")
export DATABASE_URL READ_DATABASE_URL
unset DATABASE_URL_FILE READ_DATABASE_URL_FILE
agent-board migrate
exec agent-board leave-ids-out {point}
"""
# In one step, so that there is always a whole board in its place.
EXCHANGE: Final = f"""set -e
mv {RESTORED} {{kept}}
if [ -e "$PGDATA" ]; then exec mv --exchange --no-target-directory {{kept}} "$PGDATA"; fi
mkdir -p "$(dirname "$PGDATA")" && mv {{kept}} "$PGDATA"
"""
UNTOUCHED: Final = "The data from before are in place. Run it again, or make up to start the board with them."


def restore(stack: Stack, moment: str = "") -> str:
    """Restore the board as it was at a moment, or with everything that was archived. Raises StackError."""
    target = parse(moment) if moment else None
    backups.check_bundled(stack)
    running.make_secrets(stack)
    # Now, because it can take long, and the board does not serve later.
    images.obtain(stack, is_new=False)
    stack.discard("restored")
    check_room(stack)
    fetch(stack, target)
    kept = f"{FOLDER}/before_{datetime.now(UTC):%Y%m%dt%H%M%Sz}"
    began = time.monotonic()
    try:
        stop_writing(stack)
        point = restore_points.record(stack)
        with server(stack) as name:
            prepare(stack, name, point)
        stack.compose("stop", SERVER)
    except StackError as error:
        starting.start(stack)
        raise StackError(f"{error} Nothing was changed: the board has the data from before.") from None
    except KeyboardInterrupt:
        raise KeyboardInterrupt(UNTOUCHED) from None
    return exchange(stack, kept, began)


def parse(moment: str) -> datetime:
    """Return a moment given as '2026-11-23 15:04:00', in UTC unless it has an offset. Raises StackError."""
    try:
        parsed = datetime.fromisoformat(moment.strip())
    except ValueError:
        raise StackError(f"{moment!r} is not a time; give one such as TIME='2026-11-23 15:04:00', in UTC.") from None
    return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)


def check_room(stack: Stack) -> None:
    """Raise StackError if the restored files could fill the disk, on which PostgreSQL writes meanwhile."""
    found = backups.recorded(stack)
    if not found:
        raise StackError("The repository contains no backup.")
    needed = max(each["info"]["size"] for each in found) // 2**20 + SPARE_MEBIBYTES
    if (free := int(in_volume(stack, LOOK)) // 1024) < needed:
        raise StackError(
            f"The restored data need {needed} MiB on PostgreSQL's disk next to the current ones; {free} are free. "
            "Nothing was changed."
        )


def fetch(stack: Stack, target: datetime | None) -> None:
    """Restore the newest backup before a moment into a folder next to the current data. Raises StackError."""
    options = ""
    if target:
        # On the timeline of the backup: a later restore may have left it, and must not decide what was at that moment.
        moment = f"--target='{target:%Y-%m-%d %H:%M:%S.%f+00}'"
        options = f"--type=time {moment} --target-action=promote --target-timeline=current"
    # The path of the log's archive is not stored with the files, because it is not given on the command line.
    script = f"mkdir -m 700 {RESTORED} && PGBACKREST_PG1_PATH={RESTORED} exec pgbackrest restore {options}"
    try:
        in_volume(stack, script, RESTORE_SECONDS)
    except StackError as error:
        raise StackError(
            f"Nothing was changed: the backup cannot be restored. make restore TIME='...' starts from an earlier one, "
            f"and make backup makes a new one of a running board. The reason: {error}"
        ) from None


def stop_writing(stack: Stack) -> None:
    """Stop what changes the data, and archive the log up to now, or warn if that fails. Raises StackError."""
    stack.compose("stop", *WRITERS[:-1])
    if any(each.well for each in stack.containers(SERVER)):
        try:
            value(stack, COMMIT)
            stack.ask("exec", "-T", "backup", "sh", "-c", CHECK, seconds=120)
        except StackError as error:
            print(f"Warning: the newest part of the log could not be archived. {error}", flush=True)
    stack.compose("stop", WRITERS[-1])


@contextmanager
def server(stack: Stack) -> Iterator[str]:
    """Run a PostgreSQL on the restored files until it has replayed the log; give its name. Raises StackError."""
    name = f"{stack.project}-restored"
    folder = ("--env", f"PGDATA={RESTORED}", "--env", f"PGBACKREST_PG1_PATH={RESTORED}")
    try:
        stack.ask("run", "--detach", "--no-deps", "--name", name, *folder, SERVER, "postgres", *REPLAYING)
        replay(stack, name)
        yield name
        # A shutdown, so that the board's own server need not recover.
        stack.docker("stop", "--time", "300", name, seconds=330)
    finally:
        stack.discard("restored")


def replay(stack: Stack, name: str) -> None:
    """Wait until a server has replayed the log and accepts writes. Raises StackError."""
    ask = ("exec", name, "psql", "--no-psqlrc", "--username=postgres", "--tuples-only", "--no-align")

    def has_replayed() -> bool:
        with suppress(StackError):
            return stack.docker(*ask, "--command=SELECT pg_is_in_recovery()").strip() == "f"
        if stack.docker("inspect", "--format", "{{.State.Running}}", name).strip() != "true":
            raise StackError(why(stack.docker("logs", "--tail", "40", name, errors=True)))
        return False

    waiting.until(has_replayed, RESTORE_SECONDS, "PostgreSQL did not replay the log in time.")


def why(words: str) -> str:
    if "recovery ended before configured recovery target was reached" in words:
        return "The archived log of that backup ends before this time; make restore without TIME restores all of it."
    return f"PostgreSQL cannot use the restored data. Its last log lines:\n{words[-1500:]}\n"


def prepare(stack: Stack, server: str, point: str) -> None:
    """Bring the restored board to this release's schema and let it go on without ids or words from before.

    `point` is that of the board that served before; nothing if there was none. Raises StackError.
    """
    script = PREPARE.format(server=server, point="--point" if point else "")
    once = ("run", "--rm", "--no-deps", "-T", "--env", "AGENT_BOARD_OPERATOR=make restore", "--entrypoint", "sh")
    stack.compose(*once, "migrate", "-c", script, given=point)


def exchange(stack: Stack, kept: str, began: float) -> str:
    """Put the restored data in the place of those from before, and start the board. Raises StackError."""
    try:
        in_volume(stack, EXCHANGE.format(kept=kept))
        unwell = starting.start(stack)
        seconds = time.monotonic() - began
        said = f"The board was restored, and was down for {seconds:.0f} seconds."
        return "\n".join(filter(None, [unwell, new_backup(stack), said, remains(kept)]))
    except KeyboardInterrupt:
        raise KeyboardInterrupt("make up starts the board with the restored data.") from None


def new_backup(stack: Stack) -> str:
    """Make a backup of the restored board: an older one cannot lead to what happens from now on."""
    try:
        return backups.backup(stack)
    except StackError as error:
        return f"Warning: {error} Until a backup succeeds, the board cannot be restored to later times."


def remains(kept: str) -> str:
    """Return how the data that were replaced are removed."""
    return (
        "The data from before, if there were any, stay in PostgreSQL's volume. In deploy/compose, this removes them:\n"
        f"  docker compose exec postgresql rm -rf {kept}"
    )

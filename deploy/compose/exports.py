"""Exports: the whole database in one verified file that any PostgreSQL can load, and its restoration from such a file.

A restore must never destroy data: the previous database stays on the server under another name. Nor may an id ever name
two posts: ids that were assigned after the backup are skipped.
"""

import os
from datetime import UTC, datetime
from pathlib import Path

from deploy.compose import backups, images, lineage, replaced_data, waiting
from deploy.compose.database import DATABASE, check_runs, execute, run_in_postgresql, value
from deploy.compose.errors import StackError
from deploy.compose.rolling import migrate
from deploy.compose.stack import Stack

CLIENTS = ("api", "fanout")


def export(stack: Stack) -> str:
    """Write the database to a new file and verify it by reading it to its end. Raises StackError and leaves no file."""
    backups.check_bundled(stack)
    check_runs(stack)
    directory = stack.configuration.path("BACKUP_DIR")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"agent-board-{now()}.dump"
    unfinished = path.with_suffix(".unfinished")
    try:
        dump(stack, unfinished)
        verify(stack, unfinished)
        unfinished.replace(path)
        lineage.remember(stack)
    finally:
        unfinished.unlink(missing_ok=True)
    return f"{os.path.relpath(path)} contains the database ({path.stat().st_size / 2**20:.1f} MiB) and was verified."


def verify(stack: Stack, path: Path) -> None:
    """Read a whole backup without restoring anything. Raises StackError."""
    with path.open("rb") as file:
        try:
            run_in_postgresql(stack, "pg_restore", "--file=/dev/null", stdin=file)
        except StackError:
            raise StackError(f"{path} is not a complete backup of a board.") from None


def restore(stack: Stack, file: str) -> str:
    """Replace the database with a backup, keeping the old one under another name. Raises StackError."""
    path = Path(file)
    if not path.is_file():
        raise StackError(f"FILE is {file}, and there is no such file; make export writes one to BACKUP_DIR.")
    replaced_data.limit(stack)
    lineage.check_records(stack.configuration)
    backups.check_bundled(stack)
    check_runs(stack)
    verify(stack, path)
    images.fetch(stack, {"migrate": images.images(stack)["migrate"]})
    old, new = f"{DATABASE}_before_{now().lower()}", f"{DATABASE}_restored"
    with lineage.interrupted("Nothing was changed: the board serves from the database from before."):
        fill(stack, path, new)
        check_board(stack, path, new)
    try:
        stack.compose("stop", *CLIENTS)
        pass_over(stack, new)
        replaced = exchange(stack, old, new)
    except BaseException as error:
        with lineage.undisturbed(stack):
            # The engine goes on stopping them after the command that was interrupted.
            stack.compose("stop", *CLIENTS)
            stack.compose("start", *CLIENTS)
            if isinstance(error, KeyboardInterrupt):
                raise KeyboardInterrupt(outcome(stack, old, new)) from None
        raise
    with lineage.interrupted(f"The database was restored from {path.name}; {replaced} Run make up to finish."):
        return complete(stack, path, replaced)


def outcome(stack: Stack, old: str, new: str) -> str:
    """Return which database the board has after an interruption; if it is that from before, drop the loaded one."""
    if value(stack, f"SELECT 1 FROM pg_database WHERE datname = '{old}'"):
        return f"The database was restored; the previous one is kept as {old}. Run make up to finish."
    execute(stack, commands=[f"DROP DATABASE IF EXISTS {new} WITH (FORCE)"])
    until_serving(stack)
    return "Nothing was changed: the board serves from the database from before."


def until_serving(stack: Stack) -> None:
    """Wait until the clients of the database are healthy and get requests. Raises StackError."""
    for service in CLIENTS:
        waiting.until_well(stack, service, {each.id for each in stack.containers(service)})
    waiting.until_balanced(stack, len(stack.containers("api")))


def complete(stack: Stack, path: Path, replaced: str) -> str:
    """Migrate the restored database and start what uses it; return the result. Raises StackError."""
    try:
        migrate(stack)
    except StackError as error:
        raise StackError(
            f"{error} The database was restored from {path.name}; {replaced} Run make up to finish."
        ) from None
    stack.compose("start", *CLIENTS)
    until_serving(stack)
    lineage.remember(stack)
    if any(each.status == "running" for each in stack.containers("backup")):
        # The volume may be a new one, whose backups the repository would refuse.
        backups.adopt(stack)
    return f"{replaced_data.drop_oldest(stack)} The board was restored from {path.name}; {replaced}".lstrip()


def check_board(stack: Stack, path: Path, new: str) -> None:
    """Raise StackError, and drop a restored database, unless it contains a board."""
    if lineage.find_board(stack, new) is None:
        execute(stack, commands=[f"DROP DATABASE {new}"])
        raise StackError(f"{path} does not contain a board; nothing was changed.")


def fill(stack: Stack, path: Path, new: str) -> None:
    execute(stack, commands=[f"DROP DATABASE IF EXISTS {new}", f"CREATE DATABASE {new} OWNER {DATABASE}"])
    with path.open("rb") as file:
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--role={DATABASE}")
        run_in_postgresql(stack, "pg_restore", *options, "--username=postgres", f"--dbname={new}", stdin=file)
    execute(stack, f"--dbname={new}", commands=["ANALYZE"])


def exchange(stack: Stack, old: str, new: str) -> str:
    """Rename the old database, give its name to the new one, and return a clause about the old one."""
    rename = f"ALTER DATABASE {new} RENAME TO {DATABASE}"
    if not value(stack, f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'"):
        execute(stack, commands=[rename])
        return "there was no database before."
    # Close it first: clients that are disconnected would otherwise reconnect before the names have changed.
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
    try:
        execute(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false", end])
        execute(stack, "--single-transaction", commands=[f"ALTER DATABASE {DATABASE} RENAME TO {old}", rename])
    except BaseException:
        execute(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true"])
        raise
    return f"the previous database is kept as {old}."


def pass_over(stack: Stack, new: str) -> None:
    """Ensure that the next post gets a new id. Raises StackError."""
    lineage.remember(stack)
    lineage.pass_over(stack, new, lineage.find_board(stack))


def dump(stack: Stack, path: Path) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        command = ("pg_dump", "--username=postgres", "--format=custom", "--lock-wait-timeout=30s", DATABASE)
        run_in_postgresql(stack, *command, stdout=file)
        os.fsync(file.fileno())


def now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")

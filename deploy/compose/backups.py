"""Backups: the whole database in one file that is known to be readable, and back from such a file.

A restore must never destroy: what was there before stays in the server under another name.
"""

import os
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from deploy.compose import waiting
from deploy.compose.errors import StackError
from deploy.compose.rolling import migrate
from deploy.compose.stack import Stack, Stream

DATABASE = "agent_board"


def backup(stack: Stack) -> str:
    """Write the database to a new file, and read it back to its end. Raises StackError; then there is no file."""
    stack.check_engine()
    directory = stack.configuration.path("BACKUP_DIR")
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = directory / f"agent-board-{_now()}.dump"
    unfinished = path.with_suffix(".unfinished")
    try:
        _dump(stack, unfinished)
        verify(stack, unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return f"{os.path.relpath(path)} holds the database ({path.stat().st_size / 2**20:.1f} MiB) and has been read back."


def verify(stack: Stack, path: Path) -> None:
    """Read a backup from its first byte to its last, restoring nothing. Raises StackError."""
    with path.open("rb") as file:
        try:
            _in_postgresql(stack, "pg_restore", "--file=/dev/null", stdin=file)
        except StackError:
            raise StackError(f"{path} is no whole backup of a board.") from None


def restore(stack: Stack, file: str) -> str:
    """Put a backup in the place of the database, which stays beside it under another name. Raises StackError."""
    path = Path(file)
    if not file or not path.is_file():
        raise StackError("Name the file: make restore FILE=deploy/compose/backups/agent-board-....dump")
    stack.check_engine()
    verify(stack, path)
    old, new = f"{DATABASE}_before_{_now().lower()}", f"{DATABASE}_restored"
    _fill(stack, path, new)
    stack.compose("stop", "api", "fanout")
    _exchange(stack, old, new)
    migrate(stack)
    stack.compose("start", "api", "fanout")
    for service in ("api", "fanout"):
        waiting.until_well(stack, service, {each.id for each in stack.containers(service)})
    waiting.until_balanced(stack, len(stack.containers("api")))
    return f"The board is that of {path.name}. The database before it is kept as {old}."


def _fill(stack: Stack, path: Path, new: str) -> None:
    _sql(stack, commands=[f"DROP DATABASE IF EXISTS {new}", f"CREATE DATABASE {new} OWNER {DATABASE}"])
    with path.open("rb") as file:
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--role={DATABASE}")
        _in_postgresql(stack, "pg_restore", *options, "--username=postgres", f"--dbname={new}", stdin=file)
    _sql(stack, f"--dbname={new}", commands=["ANALYZE"])


def _exchange(stack: Stack, old: str, new: str) -> None:
    # Closed first: whoever is put out would come back before the names have changed.
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
    _sql(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false", end])
    renames = [f"ALTER DATABASE {DATABASE} RENAME TO {old}", f"ALTER DATABASE {new} RENAME TO {DATABASE}"]
    try:
        _sql(stack, "--single-transaction", commands=renames)
    except StackError:
        _sql(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true"])
        raise


def _dump(stack: Stack, path: Path) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        command = ("pg_dump", "--username=postgres", "--format=custom", "--lock-wait-timeout=30s", DATABASE)
        _in_postgresql(stack, *command, stdout=file)
        os.fsync(file.fileno())


def _sql(stack: Stack, *options: str, commands: Sequence[str]) -> None:
    quiet = ("psql", "--quiet", "--no-psqlrc", "--username=postgres", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    _in_postgresql(stack, *quiet, *options, *(f"--command={command}" for command in commands))


def _in_postgresql(stack: Stack, *command: str, stdin: Stream = subprocess.DEVNULL, stdout: Stream = None) -> None:
    stack.compose("exec", "-T", "postgresql", *command, stdin=stdin, stdout=stdout)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")

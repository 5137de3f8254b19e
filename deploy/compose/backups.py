"""Backups: the whole database in one file that is known to be readable, and back from such a file.

A restore must never destroy: what was there before stays in the server under another name. Nor must it let an id name
two posts: numbers that were given out after the backup are passed over.
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
LOST_IDS_MAX = 1_000_000
"""How many ids are passed over when nobody can tell which were given out after the backup."""


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
    try:
        _pass_over(stack, new, _head(stack))
        kept = _exchange(stack, old, new)
    except BaseException:
        stack.compose("start", "api", "fanout")
        raise
    try:
        migrate(stack)
    except StackError as error:
        raise StackError(f"{error} The database is that of {path.name}; {kept} make up goes on from here.") from None
    stack.compose("start", "api", "fanout")
    for service in ("api", "fanout"):
        waiting.until_well(stack, service, {each.id for each in stack.containers(service)})
    waiting.until_balanced(stack, len(stack.containers("api")))
    return f"The board is that of {path.name}; {kept}"


def _fill(stack: Stack, path: Path, new: str) -> None:
    _sql(stack, commands=[f"DROP DATABASE IF EXISTS {new}", f"CREATE DATABASE {new} OWNER {DATABASE}"])
    with path.open("rb") as file:
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges", f"--role={DATABASE}")
        _in_postgresql(stack, "pg_restore", *options, "--username=postgres", f"--dbname={new}", stdin=file)
    _sql(stack, f"--dbname={new}", commands=["ANALYZE"])


def _head(stack: Stack) -> int | None:
    """The newest id of the board as it is; None when its database is gone or cannot be read."""
    try:
        return int(_value(stack, "SELECT last_id FROM log_head", f"--dbname={DATABASE}"))
    except (StackError, ValueError):
        return None


def _exchange(stack: Stack, old: str, new: str) -> str:
    """Give the database's name to the new one, and the old one another; say what became of that."""
    rename = f"ALTER DATABASE {new} RENAME TO {DATABASE}"
    if not _value(stack, f"SELECT 1 FROM pg_database WHERE datname = '{DATABASE}'"):
        _sql(stack, commands=[rename])
        return "there was no database before it."
    # Closed first: whoever is put out would come back before the names have changed.
    end = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{DATABASE}'"
    try:
        _sql(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS false", end])
        _sql(stack, "--single-transaction", commands=[f"ALTER DATABASE {DATABASE} RENAME TO {old}", rename])
    except BaseException:
        _sql(stack, commands=[f"ALTER DATABASE {DATABASE} ALLOW_CONNECTIONS true"])
        raise
    return f"the database before it is kept as {old}."


def _pass_over(stack: Stack, new: str, head: int | None) -> None:
    """Have the next post get an id that no post had before; there is nothing between for the search index."""
    last = f"h.last_id + {LOST_IDS_MAX}" if head is None else f"greatest(h.last_id, {head})"
    commands = [
        f"UPDATE search_cursor c SET last_id = {last} FROM log_head h WHERE c.last_id = h.last_id",
        f"UPDATE log_head h SET last_id = {last}",
    ]
    _sql(stack, "--single-transaction", f"--dbname={new}", commands=commands)


def _dump(stack: Stack, path: Path) -> None:
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        command = ("pg_dump", "--username=postgres", "--format=custom", "--lock-wait-timeout=30s", DATABASE)
        _in_postgresql(stack, *command, stdout=file)
        os.fsync(file.fileno())


def _sql(stack: Stack, *options: str, commands: Sequence[str]) -> None:
    quiet = ("psql", "--quiet", "--no-psqlrc", "--username=postgres", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    _in_postgresql(stack, *quiet, *options, *(f"--command={command}" for command in commands))


def _value(stack: Stack, query: str, *options: str) -> str:
    """The one value that a query finds, or nothing. Raises StackError."""
    command = ("psql", "--no-psqlrc", "--username=postgres", "--tuples-only", "--no-align", *options)
    return stack.ask("exec", "-T", "postgresql", *command, f"--command={query}").strip()


def _in_postgresql(stack: Stack, *command: str, stdin: Stream = subprocess.DEVNULL, stdout: Stream = None) -> None:
    stack.compose("exec", "-T", "postgresql", *command, stdin=stdin, stdout=stdout)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")

"""Backups by pgBackRest, to which PostgreSQL archives its log: making one, and reading what is in the repository."""

import json
from contextlib import suppress
from typing import Any

from deploy.compose import images, restore_points
from deploy.compose.database import check_runs
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack


def backup(stack: Stack) -> str:
    """Make a backup now, verify it by reading it from the repository, and return its size. Raises StackError."""
    check_bundled(stack)
    if not any(each.status == "running" for each in stack.containers("backup")):
        raise StackError("The service backup is not running; start it with make up.")
    check_runs(stack)
    try:
        stack.compose("exec", "-T", "backup", "backup-now")
    except KeyboardInterrupt:
        raise KeyboardInterrupt("The service backup continues with it.") from None
    restore_points.record(stack)
    newest = recorded(stack)[-1]
    size = newest["info"]["repository"]["delta"] / 2**20
    return f"Backup {newest['label']} ({newest['type']}, {size:.1f} MiB) was made and verified."


def check_bundled(stack: Stack) -> None:
    """Raise StackError unless an engine is available and PostgreSQL is part of the stack."""
    stack.check_engine()
    if not stack.runs("backup"):
        raise StackError("PostgreSQL runs elsewhere; do this there, with its own tools.")


def recorded(stack: Stack) -> list[dict[str, Any]]:
    """Return the backups in the repository, oldest first, as pgBackRest describes them. Raises StackError."""
    stanzas: list[dict[str, Any]] = json.loads(in_repository(stack, "info", "--output=json"))
    return [each for stanza in stanzas for each in stanza.get("backup", []) if not each.get("error")]


def in_repository(stack: Stack, *arguments: str) -> str:
    """Run pgBackRest in the service `backup`, or in a container of its own if that does not run; return its output.

    Raises StackError.
    """
    # Its log goes to standard error: the output must be only what the command prints.
    command = ("--log-level-console=off", "--log-level-stderr=error", *arguments)
    with suppress(StackError):
        return stack.ask("exec", "-T", "backup", "pgbackrest", *command, seconds=120)
    images.provide(stack, "postgresql")
    return stack.ask("run", "--rm", "--no-deps", "-T", "--entrypoint", "pgbackrest", "backup", *command, seconds=120)

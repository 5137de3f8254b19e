"""The stack's PostgreSQL, reached through its own client programs in its own container."""

import subprocess
from collections.abc import Sequence

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack, Stream

DATABASE = "agent_board"
SERVER = "postgresql"


def check_runs(stack: Stack) -> None:
    """Raise StackError unless PostgreSQL runs."""
    if not any(each.status == "running" for each in stack.containers(SERVER)):
        raise StackError("PostgreSQL does not run; make up starts it.")


def run_in_postgresql(stack: Stack, *command: str, stdin: Stream = subprocess.DEVNULL, stdout: Stream = None) -> None:
    """Run a program in the container. Raises StackError."""
    stack.compose("exec", "-T", SERVER, *command, stdin=stdin, stdout=stdout)


def execute(stack: Stack, *options: str, commands: Sequence[str]) -> None:
    """Run SQL commands as the superuser and stop at the first that fails. Raises StackError."""
    quiet = ("psql", "--quiet", "--no-psqlrc", "--username=postgres", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    run_in_postgresql(stack, *quiet, *options, *(f"--command={command}" for command in commands))


def value(stack: Stack, query: str, *options: str) -> str:
    """Return the single value that a query finds, or an empty string. Raises StackError."""
    command = ("psql", "--no-psqlrc", "--username=postgres", "--tuples-only", "--no-align", *options)
    return stack.ask("exec", "-T", SERVER, *command, f"--command={query}").strip()


def integer(stack: Stack, query: str, *options: str) -> int:
    """Return the single number that a query finds. Raises StackError."""
    found = value(stack, query, *options)
    try:
        return int(found)
    except ValueError:
        raise StackError(f"PostgreSQL answered {found!r} where it has a number ({query}).") from None


def beside_data(stack: Stack, script: str) -> str:
    """Run a script in the container, or in another one with its data if that does not run; return its output.

    Raises StackError.
    """
    try:
        return stack.ask("exec", "-T", SERVER, "sh", "-c", script)
    except StackError:
        return in_volume(stack, script)


def in_volume(stack: Stack, script: str, seconds: float = 300) -> str:
    """Run a script where PostgreSQL runs, which need not be running; return its output."""
    return stack.ask("run", "--rm", "--no-deps", "-T", "--entrypoint", "sh", SERVER, "-c", script, seconds=seconds)

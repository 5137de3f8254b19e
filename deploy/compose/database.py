"""The stack's PostgreSQL, reached through its own client programs in its own container."""

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

DATABASE = "agent_board"
SERVER = "postgresql"


def check_runs(stack: Stack) -> None:
    """Raise StackError unless PostgreSQL runs."""
    if not any(each.status == "running" for each in stack.containers(SERVER)):
        raise StackError("PostgreSQL does not run; make up starts it.")


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


def in_volume(stack: Stack, script: str, seconds: float = 300) -> str:
    """Run a script where PostgreSQL runs, which need not be running; return its output."""
    return stack.ask("run", "--rm", "--no-deps", "-T", "--entrypoint", "sh", SERVER, "-c", script, seconds=seconds)

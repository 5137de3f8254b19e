"""The data that restores have replaced: directories and databases on PostgreSQL's disk, of which the newest stay."""

from deploy.compose.database import DATABASE, beside_data, execute, value
from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

DIRECTORY = "/var/lib/postgresql/before_"
DATABASES = f"SELECT datname FROM pg_database WHERE datname ~ '^{DATABASE}_before_[0-9]{{8}}t[0-9]{{6}}z$'"


def limit(stack: Stack) -> int:
    """Return how many of each kind are kept, at least 1. Raises StackError."""
    count = stack.configuration.number("KEPT_DATABASES")
    if count < 1:
        raise StackError("KEPT_DATABASES must be at least 1: a restore keeps the database that it replaces.")
    return int(count)


def drop_oldest(stack: Stack) -> str:
    """Remove all but the newest of each kind; return a sentence about databases, or nothing. Raises StackError."""
    keep = limit(stack)
    beside_data(stack, f"ls -d {DIRECTORY}*z 2>/dev/null | sort | head -n -{keep} | xargs -r rm -rf")
    outdated = sorted(value(stack, DATABASES).split())[:-keep]
    if not outdated:
        return ""
    execute(stack, commands=[f"DROP DATABASE {name}" for name in outdated])
    return f"Dropped, because KEPT_DATABASES is {keep}: {', '.join(outdated)}."

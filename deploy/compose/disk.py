"""Room on PostgreSQL's disk: how much is free, and a ballast file that can be freed when nothing else can.

PostgreSQL cannot start while its disk has no room for the write-ahead log. Removing the ballast gives it that room
without another disk.
"""

from deploy.compose.errors import StackError
from deploy.compose.stack import Stack

BALLAST = "/var/lib/postgresql/ballast"
LEAST_FREE_MEBIBYTES = 512
_MEBIBYTE = 2**20
# A new ballast must leave several times its own size free.
_ROOM = 8


def free_mebibytes(stack: Stack) -> int:
    """Return how much of the disk of the data and the write-ahead log is free. Raises StackError."""
    lines = stack.ask("exec", "-T", "postgresql", "df", "-Pk", "/var/lib/postgresql").splitlines()
    return int(lines[-1].split()[3]) * 1024 // _MEBIBYTE


def add_ballast(stack: Stack) -> None:
    """Create the ballast file if it is missing and there is ample room. Raises StackError."""
    size = int(stack.configuration.number("BALLAST_MEBIBYTES"))
    if size and not has_ballast(stack) and free_mebibytes(stack) > _ROOM * size:
        # Written, not only allocated: some file systems would otherwise take nothing from the disk.
        fill = f"dd if=/dev/urandom of={BALLAST} bs=1M count={size} status=none || rm -f {BALLAST}"
        stack.compose("exec", "-T", "postgresql", "sh", "-c", fill)


def has_ballast(stack: Stack) -> bool:
    """Return whether the ballast file exists. Raises StackError."""
    look = f"test -e {BALLAST} && echo yes || echo no"
    return stack.ask("exec", "-T", "postgresql", "sh", "-c", look).strip() == "yes"


def drop_ballast(stack: Stack) -> str:
    """Remove the ballast file, even if PostgreSQL cannot start, and start PostgreSQL. Raises StackError."""
    stack.check_engine()
    stack.compose("run", "--rm", "--no-deps", "-T", "--entrypoint", "rm", "postgresql", "-f", BALLAST)
    stack.compose("start", "postgresql")
    return (
        "PostgreSQL has the room of the ballast again. Now make more room, then run make up, which adds a new ballast: "
        "deploy/observability/runbooks/PostgreSQLDiskFull.md names the ways."
    )


def check_free(stack: Stack) -> None:
    """Raise StackError if PostgreSQL's disk is almost full."""
    free = free_mebibytes(stack)
    if free < LEAST_FREE_MEBIBYTES:
        raise StackError(
            f"PostgreSQL's disk has {free} MiB free; when it is full, every write fails. "
            "deploy/observability/runbooks/PostgreSQLDiskFull.md names the ways to make room."
        )

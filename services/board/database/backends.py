"""The server processes ("backends") behind connections: identifying one, and terminating it.

The outcome of a lost connection's last statement can be decided only after its backend is gone, and only in the
timeline to which it wrote: a promoted standby may lack what the lost server had committed.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import asyncpg

POLL_SECONDS = 0.02
# The class of the states of warnings.
WARNING = "01"

# A name of WAL begins with the timeline in eight digits. During recovery the statement fails.
BACKEND = """
SELECT pid, backend_start, concat_ws(' ', system_identifier, datid, left(pg_walfile_name(pg_current_wal_lsn()), 8))
FROM pg_stat_activity, pg_control_system() WHERE pid = pg_backend_pid()
"""
# One that commits, or waits for the synchronous standby, continues: its end would show a commit that the standby lacks.
# A statement has a limit of its own.
END = """
SELECT CASE WHEN wait_event_type IN ('Client', 'Lock', 'Timeout') THEN pg_terminate_backend(pid) ELSE false END
FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2
"""
# A commit that waits for the synchronous standby, although it changes nothing.
COMMIT_NOTHING = "SELECT pg_logical_emit_message(true, 'agent-board', '')"


class Unconfirmed(asyncpg.InterfaceError):  # type: ignore[misc] # the driver is untyped
    """A server shows commits that its synchronous standby may lack, so that its loss would take them back."""

    def __init__(self) -> None:
        super().__init__("The synchronous standby has not confirmed what this server shows.")


class Backend(NamedTuple):
    """A backend. `started`, in Unix seconds, distinguishes it from a later one with the same pid.

    `timeline` identifies the history of the server, and the database; a commit stays in its timeline.
    """

    pid: int
    started: float
    timeline: str


async def backend_of(connection: asyncpg.Connection) -> Backend:
    """Return the backend of a connection to a primary."""
    row = await connection.fetchrow(BACKEND)
    assert row is not None
    return Backend(*row)


async def end_backend(connection: asyncpg.Connection, backend: Backend) -> None:
    """Terminate a backend of the same role, and return when it is gone."""
    # PostgreSQL sends no event when a backend ends.
    while await connection.fetch(END, backend.pid, backend.started):  # noqa: ASYNC110
        await asyncio.sleep(POLL_SECONDS)


async def wait_for_standby(connection: asyncpg.Connection) -> None:
    """Return when the synchronous standby, if there is one, has everything that was committed before.

    Raises Unconfirmed if the wait was cancelled.
    """
    with refusing_warnings(connection):
        await connection.execute(COMMIT_NOTHING)


@contextmanager
def refusing_warnings(connection: asyncpg.Connection) -> Iterator[None]:
    """Raise Unconfirmed at the end of a block in which the server has warned.

    PostgreSQL reports a commit whose wait for the standby was cancelled as done, and only warns.
    """
    warnings: list[asyncpg.PostgresLogMessage] = []

    def note(_: asyncpg.Connection, message: asyncpg.PostgresLogMessage) -> None:
        if message.sqlstate.startswith(WARNING):
            warnings.append(message)

    connection.add_log_listener(note)
    try:
        yield
    finally:
        connection.remove_log_listener(note)
    if warnings:
        raise Unconfirmed()

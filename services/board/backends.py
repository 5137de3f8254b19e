"""PostgreSQL's side of a connection: which backend serves it, making sure that one is gone, and what its errors mean.

Only when the old backend is gone can a new connection tell whether its last statement was committed.
"""

import asyncio
from typing import NamedTuple

import asyncpg

POLL_SECONDS = 0.02


class Backend(NamedTuple):
    """A backend; the start tells it from a later one with the same pid."""

    pid: int
    started: float


async def backend_of(connection: asyncpg.Connection) -> Backend:
    """The backend that serves a connection."""
    row = await connection.fetchrow("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
    assert row is not None
    return Backend(*row)


async def end_backend(connection: asyncpg.Connection, backend: Backend) -> None:
    """Terminate a backend of this role and return when it is gone."""
    gone = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"
    while await connection.fetch(gone, *backend):  # noqa: ASYNC110 - nothing here tells when it ends
        await asyncio.sleep(POLL_SECONDS)


def rolled_back(error: Exception) -> bool:
    """Whether nothing was written for certain: the server said that the statement failed, or took no connection.

    A connection that it ends (57P..) says nothing of the commit.
    """
    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, ConnectionRefusedError)
    return state == asyncpg.CannotConnectNowError.sqlstate or not state.startswith(("57P", "08"))


def is_away(error: Exception) -> bool:
    """Whether the database is gone, full or too busy: nothing that the request could be blamed for."""
    state = getattr(error, "sqlstate", None)
    if state is None:
        # asyncpg says InternalClientError when the server ended the connection while it was idle
        return isinstance(error, (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError))
    return str(state).startswith(("08", "25006", "40", "53", "55P03", "57"))

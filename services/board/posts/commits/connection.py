"""The committer's connection: one at a time, replaced whenever it is lost."""

import asyncio
from typing import Final

import structlog
from asyncpg import Connection

from services.board.database import connections
from services.board.database.admission import Admission
from services.board.database.backends import Backend, backend_of
from services.board.database.failures import DATABASE_FAILURES

PAUSES_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)

log = structlog.get_logger()


class WritingConnection:
    """Keeps `current`, and the `backend` that serves it or served it last.

    `admission` admits it: a repeated call is answered with the post that a server shows, without another commit.
    """

    def __init__(self, admission: Admission) -> None:
        self.admission = admission
        self.current: Connection | None = None
        self.backend: Backend | None = None

    async def get(self) -> Connection:
        """Return the connection; if it is lost, or read-only from its start, retry until there is a new one."""
        if self.current is not None and not self.current.is_closed() and self.current.is_read_only():
            self.discard()
        attempt = 0
        while self.current is None or self.current.is_closed():
            try:
                return await self.open()
            except DATABASE_FAILURES as error:
                pause = PAUSES_SECONDS[min(attempt, len(PAUSES_SECONDS) - 1)]
                log.warning("database_away", error=type(error).__name__, pause_seconds=pause)
                attempt += 1
                await asyncio.sleep(pause)
        return self.current

    async def open(self) -> Connection:
        """Open a new connection. Raises what the driver raises."""
        async with asyncio.timeout(connections.CONNECT_SECONDS):
            connection = await self.admission.admitted(await connections.writing_connection(self.admission.url))
            try:
                backend = await backend_of(connection)
            except BaseException:
                connection.terminate()
                raise
        # Set both together: recovery terminates `backend`, which must be the one that served the lost connection.
        self.current, self.backend = connection, backend
        return connection

    def has_moved_from(self, lost: Backend) -> bool:
        """Return whether the current backend writes to another timeline than a lost one did."""
        return self.backend is None or self.backend.timeline != lost.timeline

    def discard(self) -> None:
        """Never use the current connection again."""
        if self.current is not None:
            self.current.terminate()
        self.current = None

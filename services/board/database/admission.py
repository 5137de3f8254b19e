"""Whether the loss of a server could take back what it shows.

A commit that waits for the synchronous standby is invisible. But a server that recovers from a crash, or that restarts,
shows it, and so does a standby that is promoted. So nothing is read from a server before its standby has confirmed
everything that it shows.

The unlogged table `confirmed_starts` records that for all processes. Every recovery from a crash empties it, also one
after the crash of a single backend, which changes no other mark of the server. A standby never has its rows. After a
planned restart, the row names an earlier start.
"""

import asyncio
from contextlib import suppress
from typing import Final

import asyncpg

from .backends import Unconfirmed, wait_for_standby
from .connections import writing_connection
from .failures import DATABASE_FAILURES

ADMIT_SECONDS: Final = 2.0
"""How long a connection waits for a confirmation that is under way."""
CLOSE_SECONDS: Final = 2.0
UNCONFIRMED: Final = (
    "The database has started again, and its synchronous standby has not confirmed what it shows: start the standby."
)

IS_CONFIRMED: Final = "SELECT EXISTS (SELECT FROM confirmed_starts WHERE started = pg_postmaster_start_time())"
CONFIRM: Final = """
WITH former AS (DELETE FROM confirmed_starts WHERE started <> pg_postmaster_start_time())
INSERT INTO confirmed_starts VALUES (pg_postmaster_start_time()) ON CONFLICT DO NOTHING
"""
# Reads continue while the database is read-only by its settings, also after it has started again.
CONFIRMING: Final = {"application_name": "agent-board standby", "default_transaction_read_only": "off"}
# The row is for other connections, and a crash empties the table.
AT_ONCE: Final = "SET synchronous_commit = off"


class Admission:
    """Admits connections to servers whose synchronous standby has everything that they show.

    All connections of a process share one confirmation, on a connection to `url`, whose role may write. Where
    PostgreSQL is set to wait for no standby, the confirmation returns at once.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.confirming: asyncio.Task[None] | None = None

    async def admit(self, connection: asyncpg.Connection) -> None:
        """Return when the server of a connection shows nothing that its loss could take back.

        It waits at most 2 s for the standby; the confirmation continues. Raises Unconfirmed and errors of the driver.
        """
        if await connection.fetchval(IS_CONFIRMED):
            return
        if self.confirming is None or self.confirming.done():
            self.confirming = asyncio.create_task(self.confirm(), name="admission")
        await asyncio.wait({self.confirming}, timeout=ADMIT_SECONDS)
        # The two connections may lead to different servers, so the row counts, not the end of the wait.
        if not await connection.fetchval(IS_CONFIRMED):
            raise Unconfirmed()

    async def admitted(self, connection: asyncpg.Connection) -> asyncpg.Connection:
        """Return a new connection once it is admitted; one that is not is closed. Raises as `admit`."""
        try:
            await self.admit(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def confirm(self) -> None:
        """Wait for the standby once, at most as long as a statement may take, and record that it has everything.

        If that fails, the next connection tries it again; those that are refused report it.
        """
        with suppress(*DATABASE_FAILURES):
            connection = await writing_connection(self.url, **CONFIRMING)
            try:
                await wait_for_standby(connection)
                await connection.execute(AT_ONCE)
                await connection.execute(CONFIRM)
            finally:
                # This cancels a wait that took too long. It shows nothing, because its commit is empty.
                await connection.close(timeout=CLOSE_SECONDS)

    async def close(self) -> None:
        """End the confirmation under way."""
        if self.confirming is not None:
            self.confirming.cancel()
            await asyncio.wait({self.confirming})

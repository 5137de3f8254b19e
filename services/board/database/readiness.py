"""The wait of a starting process for the database that it needs: its schema, and a standby that has what it shows."""

import asyncio
from time import monotonic

import asyncpg
import structlog

from services.board.errors import Unavailable

from .admission import UNCONFIRMED, Admission
from .backends import Unconfirmed, backend_of
from .connections import direct_connection
from .failures import CONNECTION_LOST
from .revision import revision_missing

WAIT_SECONDS = 60.0
"""How long a starting process waits: a migration takes seconds, and the engine starts a process again that gave up."""

log = structlog.get_logger()


async def wait_for_revision(url: str, seconds: float, read_url: str = "") -> None:
    """Return as soon as the database has the schema that this code needs, checking for at most `seconds`.

    Its standby must have what it shows, and both addresses must lead to its primary. While it waits, the log names the
    reason. Raises Unavailable with one sentence that names what was wrong at the last check.
    """
    end, pause, reported, admission = monotonic() + seconds, 0.1, "", Admission(url)
    try:
        while (reason := await not_ready(admission, read_url or url)) is not None:
            if (left := end - monotonic()) <= 0:
                raise Unavailable(reason)
            if reason != reported:
                log.warning("database_awaited", reason=reason, seconds_left=round(left))
                reported = reason
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, 2.0)
    finally:
        await admission.close()


async def not_ready(admission: Admission, read_url: str) -> str | None:
    try:
        async with direct_connection(admission.url) as connection:
            if missing := await revision_missing(connection):
                return missing
            if read_url != admission.url and not await same_database(connection, read_url):
                return "READ_DATABASE_URL leads to another database than DATABASE_URL."
            await admission.admit(connection)
    except Unavailable as unavailable:
        return str(unavailable)
    except Unconfirmed:
        return UNCONFIRMED
    except CONNECTION_LOST:
        return "The database does not answer."
    return None


async def same_database(connection: asyncpg.Connection, read_url: str) -> bool:
    async with direct_connection(read_url, "READ_DATABASE_URL") as reading:
        return (await backend_of(reading)).timeline == (await backend_of(connection)).timeline

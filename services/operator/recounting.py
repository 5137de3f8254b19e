"""Reports while a long thread is shown again, which takes a step for each 100 replies (interface 7.6)."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import typer

from services.board.database.failures import DATABASE_FAILURES
from services.board.errors import BoardError
from services.board.moderation import hiding

REPORT_SECONDS = 1.0
GO_ON = "The fan-out goes on from there, and so does the same command."


class Unfinished(BoardError):
    """The replies of a thread are not all counted, so it is not shown yet."""


class Recounting:
    """Writes a line to standard error every second, on a terminal and in a pipe, once it has taken that long."""

    def __init__(self, connection: asyncpg.Connection, thread: int) -> None:
        self.connection = connection
        self.thread = thread
        self.total = self.left = 0
        self.due = time.monotonic() + REPORT_SECONDS

    async def __call__(self) -> None:
        """Report how many replies are left, if it is time. To be called between the steps."""
        if time.monotonic() < self.due:
            return
        self.left = await hiding.count_uncounted(self.connection, self.thread)
        if self.total:
            typer.echo(self.position, err=True)
        else:
            self.total = self.left
            typer.echo(f"Replies to count before thread {self.thread} appears: {self.left:,}.", err=True)
        self.due = time.monotonic() + REPORT_SECONDS

    @property
    def position(self) -> str:
        """How far it is, in one sentence."""
        return f"Thread {self.thread}: {self.total - self.left:,} of {self.total:,} replies are counted."


@asynccontextmanager
async def reported(connection: asyncpg.Connection, thread: int) -> AsyncIterator[Recounting]:
    """Yield what reports between the steps, and report where they ended if they are interrupted.

    Raises Unfinished if the database fails after the first report: some steps were made.
    """
    recounting = Recounting(connection, thread)
    try:
        yield recounting
    except asyncio.CancelledError:
        if recounting.total:
            typer.echo(f"Interrupted. {recounting.position} {GO_ON}", err=True)
        raise
    except DATABASE_FAILURES as error:
        if not recounting.total:
            raise
        raise Unfinished(f"The database failed ({type(error).__name__}). {recounting.position} {GO_ON}") from error

"""Recovers a batch that failed: it finds out which writes were committed, and never guesses."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

import asyncpg
from asyncpg import Connection

from services.board.database.backends import Backend, end_backend, wait_for_standby
from services.board.database.failures import DATABASE_FAILURES, is_unavailable, rolled_back
from services.board.errors import OutcomeUnknown, Unavailable
from services.process.queue import Again

from .connection import WritingConnection

RESOLVE_SECONDS: Final = 20.0
RESOLVE_PAUSE_SECONDS: Final = 0.2

E = TypeVar("E")
R = TypeVar("R")
# Returns the results of those elements of a batch that were committed, by their position.
Find = Callable[[Connection, Sequence[E]], Awaitable[dict[int, R]]]


async def recover(
    own: WritingConnection, used: Connection, find: Find[E, R] | None, batch: Sequence[E], error: Exception
) -> list[R | Exception]:
    """Return an answer for each write of a batch that failed on the connection `used`.

    Raises the error of a batch that was rolled back because of some of its writes, so that only these are refused.
    """
    if not rolled_back(error) or used.is_closed():
        own.discard()
        return await resolve_outcome(own, find, batch)
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        own.discard()
    elif not isinstance(error, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
        raise Unavailable() if is_unavailable(error) else error
    return [Unavailable()] * len(batch)


async def resolve_outcome(own: WritingConnection, find: Find[E, R] | None, batch: Sequence[E]) -> list[R | Exception]:
    """Find out what a batch whose connection broke has committed: the rest is sent again.

    After a fail-over nothing proves that the rest is lost, because the old server may come back: it is unknown.
    """
    lost = own.backend
    assert lost is not None
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            committed = await find_committed(own, find, batch, lost)
    except TimeoutError:
        committed = None
    rest = OutcomeUnknown() if committed is None or own.has_moved_from(lost) else Again()
    return [(committed or {}).get(number, rest) for number in range(len(batch))]


async def find_committed(
    own: WritingConnection, find: Find[E, R] | None, batch: Sequence[E], lost: Backend
) -> dict[int, R] | None:
    """Return the results of the writes that were committed, by position; None if that cannot be known."""
    while True:
        connection = await own.get()
        try:
            await end_backend(connection, lost)
            if find is None:
                return None
            if committed := await find(connection, batch):
                await wait_for_standby(connection)
            return committed
        except DATABASE_FAILURES:
            own.discard()
            await asyncio.sleep(RESOLVE_PAUSE_SECONDS)

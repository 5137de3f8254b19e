"""Recovers a batch that failed: it finds out which writes were committed, and never guesses."""

import asyncio
from typing import Final, TypeVar

import asyncpg
from asyncpg import Connection

from services.board.database.backends import Backend, end_backend, wait_for_standby
from services.board.database.failures import DATABASE_FAILURES, is_unavailable, rolled_back
from services.board.errors import OutcomeUnknown, Unavailable

from .connection import WritingConnection
from .write_queue import PendingWrite, WriteQueue, fail_all

RESOLVE_SECONDS: Final = 20.0
RESOLVE_PAUSE_SECONDS: Final = 0.2

E = TypeVar("E")
R = TypeVar("R")


async def recover(
    own: WritingConnection,
    used: Connection,
    queue: WriteQueue[E, R],
    batch: list[PendingWrite[E, R]],
    error: Exception,
) -> list[PendingWrite[E, R]]:
    """Find an answer for each write of a batch that failed on the connection `used`.

    Returns the writes that must be sent one by one, so that only those that made the batch fail are refused.
    """
    if not rolled_back(error) or used.is_closed():
        own.discard()
        await resolve_outcome(own, queue, batch)
    elif isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        own.discard()
        fail_all(batch, Unavailable())
    elif isinstance(error, asyncpg.LockNotAvailableError | asyncpg.QueryCanceledError):
        fail_all(batch, Unavailable())
    elif len(batch) == 1:
        batch[0].fail(Unavailable() if is_unavailable(error) else error)
    else:
        return batch
    return []


async def resolve_outcome(own: WritingConnection, queue: WriteQueue[E, R], batch: list[PendingWrite[E, R]]) -> None:
    """Find out what a batch whose connection broke has committed; answer those writes and send the rest again.

    After a fail-over nothing proves that the rest is lost, because the old server may come back: it is unknown.
    """
    lost = own.backend
    assert lost is not None
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            committed = await find_committed(own, queue, [write.element for write in batch], lost)
    except TimeoutError:
        committed = None
    for number, result in (committed or {}).items():
        batch[number].resolve(result)
    if committed is None or own.has_moved_from(lost):
        fail_all(batch, OutcomeUnknown())
    else:
        queue.put_back([write for number, write in enumerate(batch) if number not in committed])


async def find_committed(
    own: WritingConnection, queue: WriteQueue[E, R], elements: list[E], lost: Backend
) -> dict[int, R] | None:
    """Return the results of the elements that were committed, by position; None if that cannot be known."""
    while True:
        connection = await own.get()
        try:
            await end_backend(connection, lost)
            if queue.find is None:
                return None
            if committed := await queue.find(connection, elements):
                await wait_for_standby(connection)
            return committed
        except DATABASE_FAILURES:
            own.discard()
            await asyncio.sleep(RESOLVE_PAUSE_SECONDS)

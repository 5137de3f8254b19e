"""A restore: the board goes on from an earlier export, as docs/one-machine.md moves it to another machine.

All later writes are lost. The board leaves their ids out, as every import does.
"""

import asyncio
import time
from asyncio import to_thread
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

import asyncpg

from services.board.database.connections import direct_connection
from services.board.database.migrations import migrate
from services.board.errors import Unavailable
from services.board.moderation.restore_points import LOST_IDS_MAX
from services.local.errors import LocalError
from services.local.exports import export_board, load
from services.local.postgresql import DATABASE, PostgreSQL
from tests.chaos.local_board import LocalBoard
from tests.chaos.retries import retried
from tests.chaos.row import CUT, Row, Trial
from tests.history.traffic import read_log

POSTS_BEFORE = 60
STOPPED = ("api", "fanout")
REPLACED = f"{DATABASE}_replaced"
RENAME = "ALTER DATABASE {} RENAME TO {}"
END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
FAILURES = (OSError, LocalError, Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError)


@asynccontextmanager
async def restored(trial: Trial) -> AsyncIterator[None]:
    """Back the board up when it has something, and let it go on from that when the time of the fault has passed."""
    board, traffic = trial.board, trial.traffic
    await traffic.progress(POSTS_BEFORE)
    file, began = board.limiter.log.with_name("board.dump"), time.monotonic()
    try:
        await retried(partial(to_thread, export, board.postgresql, file), *FAILURES)
        complete = time.monotonic()
        yield
        async with stopped(board):
            await retried(partial(read_log, board, traffic), *FAILURES)
            last = await restore(board, file)
            traffic.go_back(began, complete, left_out=(last - LOST_IDS_MAX + 1, last))
    finally:
        file.unlink(missing_ok=True)


@asynccontextmanager
async def stopped(board: LocalBoard) -> AsyncIterator[None]:
    """Keep the processes that use the database away, so that no other fault starts them either."""
    replicas = [(service, number) for service in STOPPED for number in range(board.replicas(service))]
    try:
        async with AsyncExitStack() as held:
            for replica in replicas:
                await held.enter_async_context(board.starting[replica])
                await board.stop(*replica)
            yield
    finally:
        for replica in replicas:
            await board.start(*replica)


async def restore(board: LocalBoard, file: Path) -> int:
    """Replace the database by a backup; return the last id that is left out. Raises what keeps it from that."""
    await retried(partial(rename, board, DATABASE, REPLACED), *FAILURES)
    try:
        last = await retried(partial(to_thread, load_from, board.postgresql, file), *FAILURES)
    except BaseException:
        await retried(partial(rename, board, REPLACED, DATABASE), *FAILURES)
        raise
    await migrate(board.url, lambda _: None, board.postgresql.reading_url(DATABASE))
    await operate(board, f"DROP DATABASE {REPLACED} WITH (FORCE)")
    return last


def export(server: PostgreSQL, file: Path) -> None:
    file.unlink(missing_ok=True)
    export_board(server.url(DATABASE), file)


def load_from(server: PostgreSQL, file: Path) -> int:
    with file.open("rb") as source:
        return asyncio.run(load(server, source))


async def rename(board: LocalBoard, name: str, becomes: str) -> None:
    """Give the database another name, so that no process of the board can change it meanwhile."""
    await operate(board, END_ALL.format(name))
    await operate(board, RENAME.format(name, becomes))


async def operate(board: LocalBoard, statement: str) -> None:
    async with direct_connection(board.postgresql.url()) as connection:
        await connection.execute(statement)


ROWS = (Row("restored", "what the backup has is there, ids are left out", restored, (*CUT, "refused")),)

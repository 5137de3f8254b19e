"""A restore: the board is exported, and goes on from the file, as docs/one-machine.md moves it to another machine.

Nothing is written in between, so it loses nothing. It leaves ids out, as every import does.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import asyncpg

from services.board.database.connections import direct_connection
from services.board.database.migrations import migrate
from services.board.errors import Unavailable
from services.board.moderation.imports import LOST_IDS_MAX
from services.local.errors import LocalError
from services.local.exports import export_board, load
from services.local.postgresql import PostgreSQL
from services.local.stores import DATABASE
from tests.chaos.local_board import LocalBoard
from tests.chaos.retries import GIVE_UP_SECONDS, RETRY_SECONDS, retried
from tests.chaos.row import CUT, Row, Trial

STOPPED = ("api", "fanout")
REPLACED = f"{DATABASE}_replaced"
RENAME = "ALTER DATABASE {} RENAME TO {}"
END_ALL = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"
FAILURES = (OSError, LocalError, Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError)


@asynccontextmanager
async def restored(trial: Trial[LocalBoard]) -> AsyncIterator[None]:
    """Let the board go on from an export of itself. The history shows which ids it leaves out."""
    board = trial.board
    replicas = [(service, number) for service in STOPPED for number in range(board.replicas(service))]
    try:
        for service, number in replicas:
            await board.stop(service, number)
        last = await restore(board)
        left_out = [last - LOST_IDS_MAX + 1, last]
        trial.traffic.history.note("nemesis", "restore", {"left_out": left_out}, {})
    finally:
        for service, number in replicas:
            await board.start(service, number)
    yield


async def restore(board: LocalBoard) -> int:
    """Replace the database by an export of it; return the last id that is left out. Raises what keeps it from that."""
    file = board.limiter.log.with_name("board.dump")
    await rename(board, DATABASE, REPLACED)
    try:
        last = await retried(partial(export_and_load, board.postgresql, file), *FAILURES)
    except BaseException:
        await rename(board, REPLACED, DATABASE)
        raise
    finally:
        file.unlink(missing_ok=True)
    await migrate(board.url, lambda _: None, board.postgresql.reading_url(DATABASE))
    await operate(board, f"DROP DATABASE {REPLACED} WITH (FORCE)")
    return last


def export_and_load(server: PostgreSQL, file: Path) -> int:
    file.unlink(missing_ok=True)
    export_board(server.url(REPLACED), file)
    with file.open("rb") as source:
        return asyncio.run(load(server, source))


async def rename(board: LocalBoard, name: str, becomes: str) -> None:
    """Give the database another name, so that no process of the board can change it meanwhile."""
    async with asyncio.timeout(GIVE_UP_SECONDS):
        while True:
            with suppress(*FAILURES):
                await operate(board, END_ALL.format(name))
                return await operate(board, RENAME.format(name, becomes))
            await asyncio.sleep(RETRY_SECONDS)


async def operate(board: LocalBoard, statement: str) -> None:
    async with direct_connection(board.postgresql.url()) as connection:
        await connection.execute(statement)


ROWS = (
    Row(
        "restored", "nothing is lost, and ids are left out", restored, (*CUT, "refused"),
        tests=("tests/history/test_history.py", "tests/local/test_exports.py"),
    ),
)  # fmt: skip

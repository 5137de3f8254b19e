"""Faults of PostgreSQL, of its disk, and of the connections to it."""

import asyncio
import contextlib
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import asyncpg
import psutil

from tests.chaos.figures import failures
from tests.chaos.local_board import LocalBoard, Skipped
from tests.chaos.processes import away, frozen, killed, repeated, restarted
from tests.chaos.row import AWAY, Row, Trial
from tests.history.callers import Unanswered
from tests.proxy import Proxy

SLOW_SECONDS = 0.02
CUT_PAUSE_SECONDS = 0.3
DISK_BYTES = 300_000_000
WRITER = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%publish(%' AND pid <> pg_backend_pid() LIMIT 1"
END_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'agent-board%'
"""


@asynccontextmanager
async def cut_during_commits(trial: Trial) -> AsyncIterator[None]:
    """Cut the connection of a batch, in turn before its statement arrives and before its answer does."""
    proxy, cuts = trial.board.database, 0
    while not trial.over():
        trap = proxy.keep(trial.traffic.mark, answer=cuts % 2 == 1)
        await trap.reached()
        trap.cut()
        cuts += 1
        await asyncio.sleep(random.uniform(0, CUT_PAUSE_SECONDS))
    trial.more["cuts"] = cuts
    yield


async def end_backends(board: LocalBoard, _: int) -> None:
    """Have the server end all connections of the board."""
    await board.query(END_ALL)


@asynccontextmanager
async def connections_frozen(trial: Trial) -> AsyncIterator[None]:
    """Let every connection that exists hang for good, as when a host dies without a reset; new connections work."""
    trial.board.database.freeze()
    yield


@asynccontextmanager
async def network_silent(trial: Trial) -> AsyncIterator[None]:
    """Let every connection hang, the new ones too."""
    async with silenced(trial.board.database):
        yield


@asynccontextmanager
async def silenced(proxy: Proxy) -> AsyncIterator[None]:
    """Let the connections of a proxy hang, and those that are opened meanwhile for good."""
    proxy.silent = True
    proxy.freeze()
    try:
        yield
    finally:
        proxy.silent = False
        proxy.thaw()


@asynccontextmanager
async def network_slow(trial: Trial) -> AsyncIterator[None]:
    """Delay every message to and from the database."""
    trial.board.database.delay = SLOW_SECONDS
    yield
    trial.board.database.delay = 0.0


@asynccontextmanager
async def snapshot_held(trial: Trial) -> AsyncIterator[None]:
    """Hold a snapshot, as a backup does."""
    async with other_session(trial) as connection, connection.transaction(isolation="repeatable_read"):
        await connection.fetchval("SELECT count(*) FROM posts")
        yield


@asynccontextmanager
async def head_held(trial: Trial) -> AsyncIterator[None]:
    """Hold the lock that every write needs."""
    async with other_session(trial) as connection, connection.transaction():
        await connection.execute("SELECT FROM log_head FOR UPDATE")
        yield


@asynccontextmanager
async def backend_frozen(trial: Trial) -> AsyncIterator[None]:
    """Freeze the server's process that writes the posts of one API process."""
    [[pid]] = await trial.board.query(WRITER)
    backend = psutil.Process(int(pid))
    backend.suspend()
    try:
        yield
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            backend.resume()


@contextlib.contextmanager
def small_disk() -> Iterator[Path]:
    """A disk that is quickly full. Raises Skipped where none can be made."""
    if os.geteuid() != 0:
        raise Skipped("only root can make a small disk")
    with tempfile.TemporaryDirectory(prefix="chaos-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", folder]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            raise Skipped("this machine allows no mount")
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


@asynccontextmanager
async def disk_full(trial: Trial) -> AsyncIterator[None]:
    """Fill the disk of the database until posts are refused; reads must go on. Then free it."""
    if trial.board.disk is None:
        raise Skipped("only root can make the database a small disk")
    filling = trial.board.disk / "filling"
    try:
        with filling.open("wb", buffering=0) as file:
            await fill(file, trial)
        yield
        if trial.alone:
            await check_reads(trial)
    finally:
        filling.unlink()
    if trial.board.postgresql.child.exit_code is not None:
        await trial.board.start("postgresql")


async def fill(file: IO[bytes], trial: Trial) -> None:
    """Write to a disk until it is full and a call has failed."""
    refused = failures(trial.traffic.history.calls).total()
    while failures(trial.traffic.history.calls).total() == refused:
        with contextlib.suppress(OSError):
            file.write(bytes(shutil.disk_usage(file.name).free))
        await asyncio.sleep(0.05)


async def check_reads(trial: Trial) -> None:
    """Note whether a public read is answered at this moment."""
    try:
        reply = await trial.callers.call("GET", "/api/threads?limit=1")
        trial.expect(reply.status == 200, f"a read was answered {reply.status}")
    except Unanswered as failure:
        trial.expect(False, f"a read failed: {failure.cause}")


@asynccontextmanager
async def other_session(trial: Trial) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(trial.board.url)
    try:
        yield connection
    finally:
        await connection.close()


ROWS = (
    Row("postgresql-killed", "self-healing, only 503", killed("postgresql"), AWAY),
    Row("postgresql-restarted", "self-healing, only 503", restarted("postgresql"), AWAY),
    Row("postgresql-away", "self-healing, only 503", away("postgresql"), AWAY),
    Row("postgresql-frozen", "every call ends within its bound", frozen("postgresql"), AWAY),
    Row("commit-cut", "the true outcome, never a guess", cut_during_commits, AWAY),
    Row("backends-ended", "the true outcome, never a guess", repeated("ends", end_backends, 0.5), AWAY),
    Row("connections-frozen", "every call ends within its bound", connections_frozen, AWAY),
    Row("network-silent", "every call ends within its bound", network_silent, AWAY),
    Row("network-slow", "nothing fails", network_slow),
    Row("backend-frozen", "every call ends within its bound", backend_frozen, AWAY),
    Row("head-held", "503 within seconds, nothing is left behind", head_held, AWAY, longest=10),
    Row("snapshot-held", "reads and writes keep their speed", snapshot_held),
    Row("disk-full", "reads go on, clean resume", disk_full, AWAY),
)

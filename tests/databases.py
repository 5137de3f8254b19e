"""The servers and databases of tests: copies of one board that is migrated once for the whole run."""

import asyncio
import fcntl
import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import asyncpg

from services.local.postgresql import PostgreSQL

TEMPLATE = "board_template"
# A server that no test kills has nothing to save on the disk.
QUICK = {"fsync": "off", "full_page_writes": "off"}
# The folder in which the runs of several builds, such as mutants, share what they migrate.
SHARED = "PYTEST_MIGRATED"
SERVICES = Path(__file__).parents[1] / "services"
MAKING = ("board/database", "board/verifiable_log", "contract", "local")


def migrated_server(folder: Path) -> Path:
    """Return the directory of a stopped server with empty boards: its databases `postgres` and TEMPLATE.

    The first process of the run that asks creates it in the folder, and the others wait.
    """
    done = Path(os.environ[SHARED]) / build() if SHARED in os.environ else folder / "migrated"
    with done.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            unfinished = done.with_suffix(f".{os.getpid()}")
            with PostgreSQL(unfinished, settings=QUICK, throwaway=True) as server:
                migrate_board(server)
                sign_board(server)
                create_database(server, TEMPLATE, "postgres")
            unfinished.rename(done)
    return done


def build() -> str:
    """Return a digest of the sources that make an empty board."""
    python = [path for part in MAKING for path in (SERVICES / part).rglob("*.py")]
    sources = [path.read_bytes() for path in sorted([*python, *SERVICES.rglob("*.sql")])]
    return hashlib.sha256(b"\0".join(sources)).hexdigest()


def migrate_board(server: PostgreSQL) -> None:
    """Make the database `postgres` an empty board."""
    # Only one process of a run migrates, and the migrations take a second to import.
    from services.board.database.migrations import migrate

    asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))


def sign_board(server: PostgreSQL) -> None:
    """Sign the first checkpoint of the log in the database `postgres`, whose table of changes stays empty."""
    from tests.operations.hand import Operator

    with Operator(server.url()) as operator:
        operator.sign()
        operator.sql("DELETE FROM changes")
        operator.sql("UPDATE log_head SET last_seq = 0")


class CopyServer(Protocol):
    """copy_server with the server to be copied."""

    def __call__(self, folder: Path, settings: Mapping[str, str] | None = None) -> PostgreSQL: ...


def copy_server(of: Path, folder: Path, settings: Mapping[str, str] | None = None) -> PostgreSQL:
    """Return a server, not started yet, on a copy of a stopped server's directory."""
    subprocess.run(["cp", "-a", f"{of}/.", folder], check=True)
    return PostgreSQL(folder, settings=settings)


def create_database(server: PostgreSQL, name: str, template: str = TEMPLATE) -> str:
    """Clone a database and return its address. It replaces one that the same fixture has created before.

    A process of the run may leave the tests of a module and come back to them, with another setup of their fixtures.
    """

    async def clone() -> None:
        connection = await asyncpg.connect(server.url())
        await connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        # half the work of the default, which also writes every page to the log
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy')
        await connection.close()

    asyncio.run(clone())
    return server.url(name)

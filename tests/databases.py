"""The servers and databases of tests: copies of one board that is migrated once for the whole run."""

import asyncio
import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import asyncpg

from services.local.postgresql import PostgreSQL
from tests.operations.hand import Operator

TEMPLATE = "board_template"
# A server that no test kills has nothing to save on the disk.
QUICK = {"fsync": "off", "full_page_writes": "off"}
MEMORY = Path("/dev/shm")
MEMORY_BYTES_MIN = 4 * 2**30
# How often passwords are hashed: a test opens more connections than a board in a day. Go's driver needs four digits.
FEW_HASHES = {"scram_iterations": "1000"}
# The folder in which the runs of several builds, such as mutants, share what they migrate.
SHARED = "PYTEST_MIGRATED"
PATIENT = {"application_name": "databases of tests", "statement_timeout": "0", "lock_timeout": "0"}
ADMINISTRATORS: dict[str, Operator] = {}
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
            with PostgreSQL(unfinished, settings=QUICK | FEW_HASHES, throwaway=True) as server:
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

    execute(server, f"ALTER ROLE postgres PASSWORD '{urlsplit(server.url()).password}'")
    asyncio.run(migrate(server.url(), lambda _: None, server.reading_url()))


def sign_board(server: PostgreSQL) -> None:
    """Sign the first checkpoint of the log in the database `postgres`, whose table of changes stays empty."""
    with Operator(server.url()) as operator:
        operator.sign()
        operator.sql("DELETE FROM changes")
        operator.sql("UPDATE log_head SET last_seq = 0")


def keep_files_in_memory() -> None:
    """Let pytest make the folders of tests in memory, where a new file costs a tenth, if there is room for programs."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < MEMORY_BYTES_MIN:
        return
    if not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


class CopyServer(Protocol):
    """copy_server with the server to be copied."""

    def __call__(self, folder: Path, settings: Mapping[str, str] | None = None) -> PostgreSQL: ...


def copy_server(of: Path, folder: Path, settings: Mapping[str, str] | None = None) -> PostgreSQL:
    """Return a server, not started yet, on a copy of a stopped server's directory."""
    subprocess.run(["cp", "-a", f"{of}/.", folder], check=True)
    return PostgreSQL(folder, settings=settings)


@contextmanager
def temporary_database(server: PostgreSQL, name: str, template: str = TEMPLATE) -> Iterator[str]:
    """Clone a database, and drop it at the end, so that a run keeps little in memory."""
    yield create_database(server, name, template)
    execute(server, drop(name))


def create_database(server: PostgreSQL, name: str, template: str = TEMPLATE) -> str:
    """Clone a database and return its address. It replaces one that the same fixture has created before.

    A process of the run may leave the tests of a module and come back to them, with another setup of their fixtures.
    """
    # half the work of the default, which also writes every page to the log
    clone = f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy'
    execute(server, drop(name), clone)
    return server.url(name)


@contextmanager
def administered(server: PostgreSQL) -> Iterator[None]:
    """Create and drop the databases of a server over one connection: a new one for each takes 7 ms of CPU."""
    # The first connection to a database writes what the next ones read of the catalog. Clones have that file, too.
    with Operator(server.url(TEMPLATE)) as first:
        first.sql("SELECT 1")
    with Operator(server.url(), **PATIENT) as kept:
        ADMINISTRATORS[server.url()] = kept
        yield
        del ADMINISTRATORS[server.url()]


def drop(name: str) -> str:
    return f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'


def execute(server: PostgreSQL, *statements: str) -> None:
    async def run(connection: asyncpg.Connection) -> None:
        for statement in statements:
            await connection.execute(statement)

    if kept := ADMINISTRATORS.get(server.url()):
        kept.act(run)
    else:
        with Operator(server.url(), **PATIENT) as once:
            once.act(run)

"""A board in one file, in PostgreSQL's custom format: to another machine, to the stack in containers, and back.

`make export` of the stack writes the same kind of file, and `make restore FILE=...` reads it.
"""

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE
from typing import IO
from urllib.parse import parse_qs, unquote, urlsplit

from services.board.database import creation
from services.board.errors import Unavailable
from services.board.moderation.imports import leave_ids_out
from services.local.child import Pause, ending
from services.local.errors import LocalError
from services.local.postgresql import PostgreSQL
from services.local.state import State
from services.local.stores import DATABASE

IMPORTED = f"{DATABASE}_imported"


def export_board(url: str, file: Path) -> int:
    """Write the database at an address into a new file, and verify it by reading it to its end; return its bytes.

    Raises LocalError, and leaves no file.
    """
    try:
        if file.exists():
            raise LocalError(f"{file} exists; name a new file.")
        with unfinished(file) as dump:
            call("pg_dump", "--format=custom", "--lock-wait-timeout=30s", f"--file={dump}", url=url)
            verify(dump)
            dump.rename(file)
        return file.stat().st_size
    except OSError as error:
        raise LocalError(f"Cannot write {file}: {error.strerror}.") from None


@contextmanager
def unfinished(file: Path) -> Iterator[Path]:
    """Make a private file next to a new one; it ends with the block."""
    path = file.with_name(f"{file.name}.unfinished")
    path.unlink(missing_ok=True)
    path.touch(0o600)
    try:
        yield path
    finally:
        # The cause that kept the file from being written may keep it from being removed, too.
        with suppress(OSError):
            path.unlink(missing_ok=True)


def import_board(state: State, file: Path, pause: Pause) -> int:
    """Begin the board of a folder with an exported file; return the id after which it goes on.

    Raises LocalError if the folder has a board, or if the file holds no board of this or an earlier release.
    """
    verify(file)
    with (
        state.held("no address"),
        file.open("rb") as source,
        PostgreSQL(state.directory / "postgresql", log=state.log("postgresql"), pause=pause) as server,
    ):
        try:
            return asyncio.run(load(server, source))
        except Unavailable as error:
            raise LocalError(str(error)) from None


async def load(server: PostgreSQL, source: IO[bytes]) -> int:
    async with creation.imported(server.url(), DATABASE, IMPORTED):
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
        call("pg_restore", *options, url=server.url(IMPORTED), source=source)
        return await leave_ids_out(server.url(IMPORTED))


def verify(file: Path) -> None:
    """Read a whole file without restoring anything. Raises LocalError."""
    try:
        with file.open("rb") as source:
            reason = failure("pg_restore", "--file=/dev/null", source=source)
    except OSError as error:
        raise LocalError(f"Cannot read {file}: {error.strerror}.") from None
    if reason:
        raise LocalError(f"{file} is not a complete export of a board ({reason}).")


def call(name: str, *options: str, url: str = "", source: IO[bytes] | None = None) -> None:
    """Run a client program of PostgreSQL. Raises LocalError with the reason of its failure."""
    if reason := failure(name, *options, url=url, source=source):
        raise LocalError(f"{name} failed: {reason}")


def failure(name: str, *options: str, url: str = "", source: IO[bytes] | None = None) -> str:
    """Run a client program of PostgreSQL; return why it failed, or nothing. Raises LocalError if it cannot run."""
    address, password = divided(url)
    # Without a password in the address, libpq finds one where the driver does: PGPASSWORD, PGPASSFILE or ~/.pgpass.
    env = {**os.environ, "LC_ALL": "C", **({"PGPASSWORD": password} if password else {})}
    command = [str(PostgreSQL.program(name)), *options, *([f"--dbname={address}"] if url else [])]
    try:
        done = subprocess.run(command, stdin=source, stderr=PIPE, env=env, text=True, errors="replace", check=False)
    except OSError as error:
        raise LocalError(f"Cannot run {command[0]}: {error.strerror}.") from None
    return reason_of(done.stderr.strip().splitlines(), done.returncode) if done.returncode else ""


def divided(url: str) -> tuple[str, str]:
    """Return a database's address without its password, and the password: other users can read a command line."""
    parts = urlsplit(url)
    password = unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[-1]
    query = "&".join(pair for pair in parts.query.split("&") if "password" not in parse_qs(pair))
    shown = parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@"), query=query)
    return shown.geturl(), password


def reason_of(lines: list[str], code: int) -> str:
    """Return the first line with an error, or else the last line, or else how the program ended."""
    return next((line for line in lines if "error:" in line), lines[-1] if lines else ending(code))

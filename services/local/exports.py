"""A board in one file, in PostgreSQL's custom format: to another machine, to the stack in containers, and back.

`pg_dump --format=custom` writes the same kind of file.
"""

import asyncio
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import parse_qs, unquote, urlsplit

from services.board.database import creation
from services.board.moderation.restore_points import leave_ids_out
from services.local.child import Pause, ending
from services.local.errors import LocalError
from services.local.postgresql import DATABASE, PostgreSQL, forget_variables
from services.local.state import State

IMPORTED = f"{DATABASE}_imported"


def export_board(url: str, file: Path) -> int:
    """Write the database at an address into a new file, and verify it by reading it to its end; return its bytes.

    Raises LocalError and OSError, and leaves no file.
    """
    if file.exists():
        raise LocalError(f"{file} exists; name a new file.")
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        unfinished.touch(0o600)
        call("pg_dump", "--format=custom", "--lock-wait-timeout=30s", f"--file={unfinished}", url=url)
        verify(unfinished)
        unfinished.rename(file)
    finally:
        # The cause that kept the file from being written may keep it from being removed, too.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return file.stat().st_size


def import_board(state: State, file: Path, pause: Pause) -> int:
    """Begin the board of a folder with an exported file; return the id after which it continues.

    Raises LocalError, Unavailable and OSError, also if the folder has a board, or if the file holds no board of this or
    an earlier release.
    """
    verify(file)
    forget_variables()
    with (
        state.held("no address"),
        file.open("rb") as source,
        PostgreSQL(state.directory / "postgresql", log=state.logs / "postgresql.log", pause=pause) as server,
    ):
        return asyncio.run(load(server, source))


async def load(server: PostgreSQL, source: IO[bytes]) -> int:
    async with creation.imported(server.url(), DATABASE, IMPORTED):
        options = ("--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges")
        call("pg_restore", *options, url=server.url(IMPORTED), source=source)
        return await leave_ids_out(server.url(IMPORTED))


def verify(file: Path) -> None:
    """Read a whole file without restoring anything. Raises LocalError and OSError."""
    with file.open("rb") as source:
        try:
            call("pg_restore", "--file=/dev/null", source=source)
        except LocalError as error:
            raise LocalError(f"{file} is not a complete export of a board ({error}).") from None


def call(name: str, *options: str, url: str = "", source: IO[bytes] | None = None) -> None:
    """Run a client program of PostgreSQL. Raises LocalError with the reason of its failure."""
    address, password = divided(url)
    # Without a password in the address, libpq finds one where the driver does: PGPASSWORD, PGPASSFILE or ~/.pgpass.
    env = {**os.environ, "LC_ALL": "C", **({"PGPASSWORD": password} if password else {})}
    command = [str(PostgreSQL.program(name)), *options, *([f"--dbname={address}"] if url else [])]
    done = subprocess.run(command, stdin=source, stderr=subprocess.PIPE, env=env, check=False)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or [ending(done.returncode)]
        raise LocalError(f"{name} failed: {next((line for line in lines if 'error:' in line), lines[-1])}")


def divided(url: str) -> tuple[str, str]:
    """Return a database's address without its password, and the password: other users can read a command line."""
    parts = urlsplit(url)
    password = unquote(parts.password or "") or parse_qs(parts.query).get("password", [""])[-1]
    query = "&".join(pair for pair in parts.query.split("&") if "password" not in parse_qs(pair))
    shown = parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@"), query=query)
    return shown.geturl(), password

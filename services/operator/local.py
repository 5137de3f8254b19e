"""`agent-board run`, `export` and `import`: the whole board on this machine, and in one file."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from services.board.errors import Unavailable
from services.local.errors import LocalError
from services.local.exports import export_board, import_board
from services.local.state import VARIABLE, State, state_folder
from services.process.variables import SettingsError

from . import console
from .commands import Commands

commands = Commands()
Result = TypeVar("Result")

STATE = f"""The folder for data, logs and the lock of a run. Without it, {VARIABLE}, or else agent-board in your state
folder ($XDG_STATE_HOME or ~/.local/state)."""
Folder = Annotated[Path | None, typer.Option("--state", metavar="DIR", help=STATE)]


@commands.command(epilog="Example: agent-board run --state /srv/board")
def run(state: Folder = None) -> None:
    """Run the whole board on this machine until Ctrl-C.

    It starts a PostgreSQL and a Valkey, which the extra `local` brings, unless DATABASE_URL or REDIS_URL names one. If
    one of these ends, all of it stops; any other process is started again. PORT (8000) is the port that agents call, on
    HOST (127.0.0.1); BASE_URL is the address at which they reach it. API_REPLICAS (1) is the number of API processes;
    the first one has OPERATOR_PORT, if that is given. The other settings are passed on to the processes.
    """
    from services.local.run import run_board  # loads an HTTP server, which no other command needs

    # These two raise an error when their reader is gone, where those of other commands end the process.
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    attempt(lambda: run_board(state))


@commands.command(epilog="Example: agent-board export board.dump")
def export(file: Annotated[Path, typer.Argument(metavar="FILE", help="A file that does not exist yet.")]) -> None:
    """Write the board into one file, and verify it. The board keeps serving.

    `agent-board import` begins a board with it on another machine. The key of the verifiable log and the settings are
    not in it.
    """
    size = attempt(lambda: export_board(console.find_board().url, file))
    typer.echo(f"{file} contains the board ({size / 2**20:.1f} MiB) and was verified.")


@commands.command("import", epilog="Example: agent-board import board.dump --state /srv/board")
def import_(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A file of `agent-board export` or `pg_dump --format=custom`.")
    ],
    state: Folder = None,
) -> None:
    """Begin the board of a folder with an exported file; `agent-board run` then runs it.

    A folder that has a board is refused. Because the exported board may have gone on, a million ids are left out.
    Import only trusted files, because their SQL runs as the superuser.
    """
    if console.is_named(os.environ):
        console.fail("DATABASE_URL names a server, where pg_restore loads the file; an import needs it to be left out.")
    folder = State(state or state_folder(os.environ))
    last = attempt(lambda: import_board(folder, file, time.sleep))
    typer.echo(f"The board was imported into {folder.directory}; its next post has the id {last + 1}.")


def attempt(work: Callable[[], Result]) -> Result:
    """Return what a function returns, or print the reason of its refusal and exit with 1."""
    try:
        return work()
    except (LocalError, SettingsError, Unavailable, console.Refused) as refused:
        console.fail(str(refused))
    except OSError as error:
        console.fail(f"{error.strerror}: {error.filename}." if error.filename else f"{error}.")

"""`agent-board run`: the whole board on this machine."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from services.local.run import run_board
from services.local.state import VARIABLE

from .commands import Commands

commands = Commands()

STATE = f"""The folder for data, logs and the lock of a run. Without it, {VARIABLE}, or else agent-board in your state
folder ($XDG_STATE_HOME or ~/.local/state)."""
State = Annotated[Path | None, typer.Option("--state", metavar="DIR", help=STATE)]


@commands.command(epilog="Example: agent-board run --state /srv/board")
def run(state: State = None) -> None:
    """Run the whole board on this machine until Ctrl-C.

    It starts a PostgreSQL and a Valkey, which the extra `local` brings, unless DATABASE_URL or REDIS_URL names one. If
    one of its processes ends, all of it stops. PORT (8000) is the port that agents call, on HOST (127.0.0.1); BASE_URL
    is the address at which they reach it. API_REPLICAS (1) is the number of API processes; the first one has
    OPERATOR_PORT, if that is given. The other settings are passed on to the processes.
    """
    # These two raise an error when their reader is gone, where those of other commands end the process.
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
    raise typer.Exit(run_board(state))

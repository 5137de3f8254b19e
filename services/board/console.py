"""How the operator's command reaches the board and answers: one sentence, and 0 for done or 1 for refused.

It must never show a stack trace for what an operator can meet, nor an address or a password at all.
"""

import asyncio
import getpass
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import typer

from .audit import Who, stated
from .contract.limits import set_rates
from .database import LOST, direct_connection, revision_missing
from .errors import BoardError
from .process.settings import Settings, SettingsError, load_settings

RUN_ENV = Path(".local") / "run.env"
# Hiding a long thread takes longer than a post may take, and an operator would rather wait than be turned away.
PATIENT = {"application_name": "agent-board operator", "lock_timeout": "15s", "statement_timeout": "60s"}

Action = Callable[[asyncpg.Connection, str], Coroutine[Any, Any, str]]


class Refused(Exception):
    """Why a command did not do what was asked, in one sentence."""


def act(action: Action) -> None:
    """Run an action on a connection of its own, with the name of who acts, and print the sentence that it returns."""
    finish(_act(action))


async def _act(action: Action) -> str:
    who = operator_name()
    async with direct_connection(database_url(), **PATIENT) as connection:
        if missing := await revision_missing(connection):
            raise Refused(f"The database lacks {missing}: run `agent-board migrate`.")
        return await action(connection, who)


def finish(work: Coroutine[Any, Any, str]) -> None:
    """Run work, print what it says and end the process when it is refused."""
    try:
        typer.echo(asyncio.run(work))
    except (BoardError, SettingsError, Refused) as refused:
        fail(str(refused))
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        fail(sentence(error))


def fail(reason: str) -> None:
    """Say on standard error why a command is refused, and end with 1."""
    typer.echo(reason, err=True)
    raise typer.Exit(1)


def sentence(error: Exception) -> str:
    """Say what an error of the database means to an operator."""
    if isinstance(error, (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError, asyncpg.DeadlockDetectedError)):
        return "The board is too busy; nothing was changed. Try again."
    if isinstance(error, LOST):
        return "The connection to the database broke; whether the change was made is shown by `agent-board audit`."
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return "The role of DATABASE_URL has no right to do this; nothing was changed."
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return "The database of DATABASE_URL takes no writes; nothing was changed."
    return f"The database refused the change ({type(error).__name__}); nothing was changed."


def database_url() -> str:
    """Return DATABASE_URL as the settings have it. Raises SettingsError, Refused."""
    return settings().database_url.get_secret_value()


def settings() -> Settings:
    """Return the settings of the environment, else of the board that `make run` runs in this checkout.

    Raises SettingsError, Refused.
    """
    run_env = next((d / RUN_ENV for d in (Path.cwd(), *Path.cwd().parents) if is_of_a_checkout(d)), None)
    try:
        found = load_settings(env_file=run_env)
    except SettingsError as error:
        if "DATABASE_URL must be given." not in str(error):
            raise
        raise Refused("No database: set DATABASE_URL, or call this in a checkout that `make run` runs.") from None
    # an operator's posts are judged as everybody's
    set_rates(found.rates)
    return found


def is_of_a_checkout(directory: Path) -> bool:
    """Whether `make run` runs there. A file that somebody else has left in a folder open to all must not count."""
    run_env = directory / RUN_ENV
    return run_env.is_file() and run_env.stat().st_uid in (os.getuid(), directory.stat().st_uid)


def operator_name() -> str:
    """Return who acts, for the audit: AGENT_BOARD_OPERATOR, else the name of the system's user. Raises Invalid."""
    given = os.environ.get("AGENT_BOARD_OPERATOR", "").strip()
    if given:
        return stated(Who, who=given).who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container's numeric user has no name.
        return f"user {os.getuid()}"

"""Runs the operator's commands: finds the database, prints one sentence, and exits with 0 (done) or 1 (refused).

Expected failures must not show a stack trace. Nothing may show the address or the password of the database.
"""

import asyncio
import getpass
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import asyncpg
import typer

from services.board.audit import Who, stated
from services.board.database.connections import direct_connection
from services.board.database.failures import CONNECTION_LOST, DATABASE_FAILURES
from services.board.database.orm import reading_models
from services.board.database.revision import revision_missing
from services.board.errors import BoardError
from services.contract.limits import set_rates
from services.process.setting_sources import SettingsError, load_settings
from services.process.settings import Settings

RUN_ENV = Path(".local") / "run.env"
# An operator would rather wait than be refused.
PATIENT = {"application_name": "agent-board operator", "lock_timeout": "15s", "statement_timeout": "60s"}

Action = Callable[[asyncpg.Connection, str], Coroutine[Any, Any, str]]


class Refused(Exception):
    """The reason why a command was refused, in one sentence."""


def act(action: Action) -> None:
    """Run an action with a connection and the name of the operator, and print the sentence that it returns."""
    finish(_act(action))


async def _act(action: Action) -> str:
    who = operator_name()
    async with direct_connection(database_url(), **PATIENT) as connection:
        if missing := await revision_missing(connection):
            raise Refused(f"The database lacks {missing}: run `agent-board migrate`.")
        return await action(connection, who)


def read(action: Action) -> None:
    """Run an action that reads the models, as `act` does. It can change nothing through them."""

    async def work(connection: asyncpg.Connection, who: str) -> str:
        async with reading_models(database_url()):
            return await action(connection, who)

    act(work)


def finish(work: Coroutine[Any, Any, str]) -> None:
    """Run `work` and print its result, or print the reason why it was refused and exit with 1."""
    try:
        typer.echo(asyncio.run(work))
    except (BoardError, SettingsError, Refused) as refused:
        fail(str(refused))
    except DATABASE_FAILURES as error:
        fail(sentence(error))


def fail(reason: str) -> None:
    """Print the reason of a refusal on standard error, and exit with 1."""
    typer.echo(reason, err=True)
    raise typer.Exit(1)


def sentence(error: Exception) -> str:
    """Return the meaning of a database error for an operator."""
    if isinstance(error, (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError, asyncpg.DeadlockDetectedError)):
        return "The board is too busy; nothing was changed. Try again."
    if isinstance(error, CONNECTION_LOST):
        return "The connection to the database broke; `agent-board audit` shows whether the change was made."
    if isinstance(error, asyncpg.InsufficientPrivilegeError):
        return "The role of DATABASE_URL does not have the necessary rights; nothing was changed."
    if isinstance(error, asyncpg.ReadOnlySQLTransactionError):
        return "The database of DATABASE_URL is read-only; nothing was changed."
    return f"The database refused the change ({type(error).__name__}); nothing was changed."


def database_url() -> str:
    """Return the setting DATABASE_URL. Raises SettingsError, Refused."""
    return settings().database_url.get_secret_value()


def settings() -> Settings:
    """Return the settings from the environment, or else those of the board that `make run` runs in this checkout.

    Raises SettingsError, Refused.
    """
    run_env = next((d / RUN_ENV for d in (Path.cwd(), *Path.cwd().parents) if is_of_a_checkout(d)), None)
    try:
        found = load_settings(env_file=run_env)
    except SettingsError as error:
        if "DATABASE_URL must be given." not in str(error):
            raise
        raise Refused("No database: set DATABASE_URL, or use a checkout in which `make run` is running.") from None
    # announcements of operators are limited like any posts
    set_rates(found.rates)
    return found


def is_of_a_checkout(directory: Path) -> bool:
    """Return whether `make run` runs there. A file that another user left in a shared directory does not count."""
    run_env = directory / RUN_ENV
    return run_env.is_file() and run_env.stat().st_uid in (os.getuid(), directory.stat().st_uid)


def operator_name() -> str:
    """Return the operator's name for the audit: AGENT_BOARD_OPERATOR, or else the system's user. Raises Invalid."""
    given = os.environ.get("AGENT_BOARD_OPERATOR", "").strip()
    if given:
        return stated(Who, who=given).who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # The numeric user of a container has no name.
        return f"user {os.getuid()}"

"""Runs the operator's commands: finds the board, prints one sentence, and ends with an exit status.

The status is 0 (done), 1 (refused, and nothing was changed) or 3 (not all was done, or it is not known).

The board comes from the environment or from a run on this machine; settings of the two are never mixed. Standard error
names the board, so that standard output holds only the answer.

Expected failures must not show a stack trace. Nothing may show the address or the password of the database.
"""

import asyncio
import getpass
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn
from urllib.parse import urlsplit

import asyncpg
import typer

from services.board.database.admission import UNCONFIRMED, Admission
from services.board.database.backends import Unconfirmed
from services.board.database.connections import database_name, direct_connection
from services.board.database.failures import CONNECTION_LOST, DATABASE_FAILURES
from services.board.database.revision import revision_missing
from services.board.errors import BoardError
from services.board.moderation.audit import Who, stated
from services.local.errors import LocalError
from services.local.postgresql import forget_variables
from services.local.state import find_run
from services.process.variables import SettingsError, database_url, given_value, parsed

if TYPE_CHECKING:
    from services.process.settings import Settings

NO_DATABASE = (
    "No database: set DATABASE_URL, or AGENT_BOARD_STATE to the folder of a run, or start a board with "
    "`agent-board run` or `make run`."
)
# An operator would rather wait than be refused.
PATIENT = {"application_name": "agent-board operator", "lock_timeout": "15s", "statement_timeout": "60s"}

REFUSED: Final = 1
INCOMPLETE: Final = 3


class Session(NamedTuple):
    """The session of a command: a connection, and the name of the operator for the audit."""

    connection: asyncpg.Connection
    who: str


Action = Callable[[Session], Awaitable[str]]


class Refused(Exception):
    """The reason why nothing was changed, in one sentence."""


class Incomplete(Exception):
    """Some of what was to be done is done, or it is not known; one sentence."""


async def execute(action: Action) -> str:
    """Run an action on the board, and return its answer."""
    who = operator_name()
    board = find_board()
    async with board.connection() as connection:
        if missing := await revision_missing(connection):
            raise Refused(missing)
        await confirm(board.url, connection)
        return await action(Session(connection, who))


async def confirm(url: str, connection: asyncpg.Connection) -> None:
    """Raise Refused if the loss of the server would take back what it shows."""
    admission = Admission(url)
    try:
        await admission.admit(connection)
    except Unconfirmed:
        raise Refused(UNCONFIRMED) from None
    finally:
        await admission.close()


def finish(work: Coroutine[Any, Any, str]) -> None:
    """Run `work` and print its result, or print the reason why it was not done and exit."""
    try:
        result = asyncio.run(work)
    except (BoardError, SettingsError, Refused) as refused:
        fail(str(refused))
    except Incomplete as reason:
        fail(str(reason), INCOMPLETE)
    except DATABASE_FAILURES as error:
        fail(sentence(error), INCOMPLETE if isinstance(error, CONNECTION_LOST) else REFUSED)
    # outside the block, in which a full disk of the operator would be taken for a failure of the database
    if result:
        typer.echo(result)


def fail(reason: str, status: int = REFUSED) -> NoReturn:
    """Print the reason on standard error, and exit with this status."""
    typer.echo(reason, err=True)
    raise typer.Exit(status)


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


@dataclass(frozen=True)
class Board:
    """The board on which a command acts; `source` describes where its settings come from."""

    url: str
    env: Mapping[str, str]
    source: str

    @property
    def settings(self) -> "Settings":
        """All settings, of which most commands need none. Raises SettingsError."""
        from services.process.setting_sources import load_settings  # their types are slow to build

        return load_settings(self.env)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[asyncpg.Connection]:
        """Connect to the board's database, and name the board on standard error. Raises Unavailable."""
        async with direct_connection(self.url, **PATIENT) as connection:
            # Only an address that has led to a database is known to be an address: part of another may be a password.
            hosts = urlsplit(self.url).netloc.rpartition("@")[2] or "its default host"
            typer.echo(f"Board: database {await database_name(connection)} at {hosts}, {self.source}.", err=True)
            yield connection


def find_board() -> Board:
    """Return the board of the environment, or else the one that runs on this machine. Raises SettingsError, Refused.

    DATABASE_URL or DATABASE_URL_FILE selects the environment, even if its value is wrong.
    """
    if is_named(os.environ):
        return Board(database_url(os.environ), os.environ, "which the environment names")
    try:
        found = find_run(os.environ)
    except LocalError as reason:
        raise Refused(f"{NO_DATABASE} {reason}") from None
    if found is None:
        raise Refused(NO_DATABASE)
    forget_variables()
    folder, text = found
    return Board(database_url(env := parsed(text)), env, f"which runs with its data in {folder}")


def is_named(env: Mapping[str, str]) -> bool:
    """Return whether the environment names the database, even if its value is wrong."""
    return not env.keys().isdisjoint({"DATABASE_URL", "DATABASE_URL_FILE"})


def operator_name() -> str:
    """Return the operator's name for the audit: AGENT_BOARD_OPERATOR, or else the system's user.

    Raises Invalid, and SettingsError if the variable is empty.
    """
    if (given := given_value("AGENT_BOARD_OPERATOR", os.environ)) is not None:
        return stated(Who, who=given).who
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # The numeric user of a container has no name.
        return f"user {os.getuid()}"

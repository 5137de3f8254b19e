"""The meaning of errors of PostgreSQL and its driver."""

from typing import Final

import asyncpg

from services.board.errors import BoardError

from .primary import Pooled

# asyncpg raises InternalClientError if the server closed the connection while it was idle.
DRIVER_FAILURES: Final = (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError)
CONNECTION_LOST: Final = (*DRIVER_FAILURES, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError)
DATABASE_FAILURES: Final = (*DRIVER_FAILURES, asyncpg.PostgresError)
# The statement failed because of its arguments or of rows that it read or wrote; with others it would have succeeded.
ABOUT_ROWS: Final = (
    asyncpg.DataError,
    asyncpg.IntegrityConstraintViolationError,
    asyncpg.ProgramLimitExceededError,
    asyncpg.PLPGSQLError,
)
NOT_CONNECTED: Final = (ConnectionRefusedError, asyncpg.TargetServerAttributeNotMatched, Pooled)


def concerns_all(error: Exception) -> bool:
    """Return whether an error concerns all calls that shared a statement, rather than the rows of one of them."""
    return isinstance(error, (BoardError, *DATABASE_FAILURES)) and not isinstance(error, ABOUT_ROWS)


def rolled_back(error: Exception) -> bool:
    """Return whether it is certain that nothing was written: the statement failed, or there was no connection.

    If the server ended the connection (57P..), the statement may have been committed.
    """
    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, NOT_CONNECTED)
    return state == asyncpg.CannotConnectNowError.sqlstate or not state.startswith(("57P", "08"))


def is_unavailable(error: BaseException) -> bool:
    """Return whether the database is unreachable, full or too busy, so that the request itself is not at fault.

    That includes a refused password (28...): a process has the old one until it is rolled.
    """
    state = getattr(error, "sqlstate", None)
    if state is None:
        return isinstance(error, DRIVER_FAILURES)
    return str(state).startswith(("08", "25006", "28", "40", "53", "55P03", "57"))

"""Takes a database of the last commit before release 0.1.0 as one of that release, and refuses older ones."""

import asyncpg

from services.board.errors import Unavailable

FIRST = "0_20261127124500_init.py"
NEWEST_BEFORE = "22_20261127083944_words_version.py"
TOO_OLD = (
    "The newest migration of this database is {}, from before release 0.1.0; nothing was changed. Run `agent-board "
    "migrate` of commit e534fbc first, or use a new database."
)
ADOPT = """
ALTER DOMAIN change_kind VALIDATE CONSTRAINT changes_kind;
"""
# The row keeps the models that aerich has recorded.
REPLACE_NAMES = """
WITH replaced AS (UPDATE aerich SET version = $1 WHERE version = $2)
DELETE FROM aerich WHERE version <> $2
"""


async def adopt(connection: asyncpg.Connection, applied: list[str]) -> None:
    """Give a database of the last commit before 0.1.0 the schema and the migration of that release, or do neither.

    `applied` are its migrations, the newest last. Raises Unavailable if it is older.
    """
    if not applied or applied[0] == FIRST:
        return
    if applied[-1] != NEWEST_BEFORE:
        raise Unavailable(TOO_OLD.format(applied[-1].removesuffix(".py")))
    async with connection.transaction():
        await connection.execute(ADOPT)
        await connection.execute(REPLACE_NAMES, FIRST, NEWEST_BEFORE)

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
ALTER TABLE posts DROP COLUMN fingerprint;
ALTER TABLE agents DROP COLUMN register_fingerprint;
ALTER TABLE applied_functions DROP COLUMN applied_at;
UPDATE search_cursor SET merged_id = least(merged_id, last_id), worded_id = least(worded_id, marked_id);
ALTER TABLE search_cursor DROP COLUMN marked_id, DROP COLUMN agents_id, ADD agents_left bigint NOT NULL DEFAULT 0,
    ALTER merged_id SET DEFAULT 0, ALTER words SET DEFAULT 2;
UPDATE search_cursor SET agents_left = h.last_agent_id FROM log_head h;
DROP FUNCTION IF EXISTS index_former;
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

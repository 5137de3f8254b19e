"""A board that goes on from an exported file, on another machine than the one that wrote it."""

from typing import Final

import asyncpg

from services.board.database.connections import direct_connection
from services.board.database.revision import check_not_later
from services.board.errors import Unavailable

LOST_IDS_MAX: Final = 1_000_000
"""How many ids to skip: the board may have given them to posts after the export, as `make restore` assumes, too."""
SKIP = """
WITH head AS (UPDATE log_head SET last_id = last_id + $1 RETURNING last_id),
left_out AS (
    INSERT INTO audit (at, who, action, subject, reason)
    SELECT clock_timestamp(), 'agent-board import', 'import', (last_id - $1 + 1) || ' ' || last_id,
        'These ids may have been given to posts that are not in the file.' FROM head
)
SELECT last_id FROM head
"""


async def leave_ids_out(url: str) -> int:
    """Ensure that no id of an imported board names two posts; return the last id that is left out.

    Raises Unavailable if the database holds no board, or one of a later release.
    """
    async with direct_connection(url) as connection:
        await check_not_later(connection)
        try:
            last: int = await connection.fetchval(SKIP, LOST_IDS_MAX)
        except asyncpg.UndefinedTableError:
            raise Unavailable("The file does not contain a board; nothing was changed.") from None
    return last

"""How long the board keeps what has ended: replaced tokens, subscriptions with their intervals, acknowledged events."""

import asyncpg

from services.board.database.connections import Database

DAYS = 400
"""How long replaced tokens are reported as revoked, and ranges of ended subscriptions can be delivered again: a year
and a month, so that what happens once a year still finds them."""
ROWS_PER_STEP = 1000
PRUNE = "SELECT prune_ended($1, $2, $3)"
# A partition holds some three million events.
PATIENTLY = "SET LOCAL statement_timeout = '30s'"
DROP = "SELECT drop_acknowledged($1)"
DROP_SECONDS = 32.0


async def prune(database: Database) -> int:
    """Delete up to 1000 rows of each kind that are kept no longer; return how many, 0 if another process does it."""
    return int(await database.fetchval(PRUNE, DAYS, DAYS, ROWS_PER_STEP))


async def drop_acknowledged(connection: asyncpg.Connection, days: int) -> int | None:
    """Drop the oldest partition of the inbox if all its events were acknowledged and its posts are older than `days`.

    Return how many events it had, at least 1; 0 if it stays; None if others, such as a reader, were in the way.
    """
    async with connection.transaction():
        await connection.execute(PATIENTLY)
        dropped: int | None = await connection.fetchval(DROP, days, timeout=DROP_SECONDS)
    return dropped

"""How long the board remembers what has ended: replaced tokens, and subscriptions with the intervals they covered."""

from services.board.database.connections import Database

ROWS_PER_STEP = 1000
PRUNE = "SELECT prune_ended($1, $2, $3)"


async def prune(database: Database, token_days: int, subscription_days: int) -> int:
    """Delete up to 1000 rows of each kind that are kept no longer; return how many, 0 if another process does it."""
    return int(await database.fetchval(PRUNE, token_days, subscription_days, ROWS_PER_STEP))

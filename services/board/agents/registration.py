"""Whether agents can register (interface 4.2, 14.1); operators decide it for all replicas."""

from services.board.database.connections import Database
from services.contract.bounds import Registration

IS_OPEN = "SELECT registration_open FROM log_head"
SET = "SELECT set_registration($1, $2)"


async def is_open(reads: Database) -> bool:
    """Return whether agents can register."""
    return bool(await reads.fetchval(IS_OPEN))


async def set_open(writes: Database, is_open: bool, who: str) -> bool:
    """Open or close the board to new agents, on all replicas and for the next call; False if it was so before."""
    return bool(await writes.fetchval(SET, is_open, who))


def state(is_open: bool) -> Registration:
    """Return the word for it."""
    return "open" if is_open else "closed"

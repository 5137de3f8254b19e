"""Whether the stored tree of the verifiable log is that of the posts. It reads everything and changes nothing."""

from collections.abc import AsyncIterator

from services.board.database.connections import Database

from .log_tree import HASH_BYTES, HASHES_PER_TILE, LEVELS, TILE_HEIGHT, count, edge, tile_from
from .merkle_tree import range_root
from .verifiable_log import HASHES, read_hashes

STATE = "SELECT size, root FROM log_state"


async def verify_log(database: Database) -> list[str]:
    """Compare the stored hashes and the signed root with the posts; return a sentence if they differ."""
    state = await database.fetchrow(STATE)
    if state is None or not state["size"]:
        return []
    size = state["size"]
    async for level, position, stored in stored_hashes(database, size):
        below = await read_hashes(database, [tile_from(level - 1, position * HASHES_PER_TILE, size)])
        if not below.gives(level * TILE_HEIGHT, position, stored):
            return [f"The verifiable log has another hash than the posts at level {level}, position {position}."]
    hashes = await read_hashes(database, edge(size))
    try:
        differs = range_root(0, size, hashes.complete) != state["root"]
    except KeyError:
        differs = True
    return ["The verifiable log has another root than the posts."] if differs else []


async def stored_hashes(database: Database, size: int) -> AsyncIterator[tuple[int, int, bytes]]:
    """Yield the level, the position and the value of each stored hash of a tree of `size` leaves; b"" if missing."""
    for level in range(1, LEVELS):
        for first in range(0, count(level, size), HASHES_PER_TILE):
            run = tile_from(level, first, size)
            hashes = await database.fetchval(HASHES, *run)
            for number in range(run.last - run.first + 1):
                yield level, first + number, hashes[number * HASH_BYTES : (number + 1) * HASH_BYTES]

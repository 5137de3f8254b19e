"""Whether the stored tree of the verifiable log is that of the posts. It reads everything and changes nothing."""

from collections.abc import Iterator
from typing import Final

from services.board.database.connections import Database

from .checkpoints import GENERATION, read_hashes
from .merkle_tree import range_root
from .signing import is_checkpoint
from .tiles import HASHES_PER_TILE, LEVELS, TILE_HEIGHT, Run, count, edge

STATE = "SELECT size, root, checkpoint, verifier_key FROM log_state"
HASHES_PER_STEP: Final = 16
"""They cover 4,096 hashes of the level below, which a statement reads well within its time limit."""


async def verify_log(database: Database) -> list[str]:
    """Compare the stored hashes, the root and the checkpoint with the posts; return a sentence if they differ."""
    state = await database.fetchrow(STATE)
    if state is None or not state["size"]:
        return []
    size = state["size"]
    for run in stored_runs(size):
        for position in await differences(database, run):
            return [f"The verifiable log has another hash than the posts at level {run.level}, position {position}."]
    hashes = await read_hashes(database, edge(size))
    try:
        differs = range_root(0, size, hashes.complete) != state["root"]
    except KeyError:
        differs = True
    if differs:
        return ["The verifiable log has another root than the posts."]
    generation = await database.fetchval(GENERATION, size)
    if is_checkpoint(state["checkpoint"], state["verifier_key"], generation, size, state["root"]):
        return []
    return ["The newest checkpoint of the verifiable log does not sign its root."]


def stored_runs(size: int) -> Iterator[Run]:
    """Yield the hashes that are stored for a tree of `size` leaves, in parts, from the lowest level on."""
    for level in range(1, LEVELS):
        end = count(level, size)
        for first in range(0, end, HASHES_PER_STEP):
            yield Run(level, first, min(first + HASHES_PER_STEP, end) - 1)


async def differences(database: Database, run: Run) -> list[int]:
    """Return the positions of stored hashes that are missing or do not follow from the level below."""
    below = Run(run.level - 1, run.first * HASHES_PER_TILE, (run.last + 1) * HASHES_PER_TILE - 1)
    stored, hashes = await read_hashes(database, [run]), await read_hashes(database, [below])
    positions = range(run.first, run.last + 1)
    given = {each: stored.known.get((run.level, each), b"") for each in positions}
    return [each for each in positions if not hashes.gives(run.level * TILE_HEIGHT, each, given[each])]

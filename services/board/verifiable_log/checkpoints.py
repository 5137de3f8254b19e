"""The verifiable log: signed checkpoints of a Merkle tree of all posts, and its tiles (interface 7.10).

Formats are C2SP's tlog-tiles, tlog-checkpoint and signed-note, with the hashes of RFC 6962. Only the hashes above the
leaves are stored; leaves follow from the posts' digests.
"""

import base64
import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Final

import asyncpg
from msgspec import Struct

from services.board.database.connections import Database
from services.board.errors import NotFound

from .merkle_tree import leaf_hash, range_root
from .tiles import HASHES_PER_TILE, Hashes, Run, Tile, count, edge

if TYPE_CHECKING:
    from .signing import Signer

LEAVES_PER_STEP: Final = 4096

LOCK = "SELECT size, root, verifier_key FROM log_state FOR UPDATE SKIP LOCKED"
# A checkpoint that was read must not be lost, so its transaction waits for the disk.
DURABLY = "SET LOCAL synchronous_commit = on"
HEAD = "SELECT last_id FROM log_head"
NEWEST_BEGIN = "SELECT generation, first_index, first_id FROM log_begins ORDER BY generation DESC LIMIT 1"
GENERATION = "SELECT max(generation) FROM log_begins WHERE first_index < $1"
BEGIN = "INSERT INTO log_begins (generation, first_index, first_id, entry) VALUES ($1, $2, $3, $4)"
HASHES = "SELECT log_hashes($1, $2, $3)"
RUNS = """
SELECT r.level, r.first, log_hashes(r.level, r.first, r.last) AS hashes
FROM unnest($1::int[], $2::bigint[], $3::bigint[]) AS r (level, first, last)
"""
ENTRIES = "SELECT index, entry FROM log_entries($1, $2) ORDER BY index"
NEXT_POST = "SELECT id FROM posts WHERE id > $1 ORDER BY id LIMIT 1"
ADD_NODES = "INSERT INTO log_nodes SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])"
SIGN = "UPDATE log_state SET size = $1, root = $2, checkpoint = $3, verifier_key = $4"
ANNOUNCE = "SELECT append_change($1, NULL, NULL, NULL)"
CREATED = "SELECT extract(epoch FROM created)::float8 FROM posts WHERE id >= $1 ORDER BY id LIMIT 1"
READ_STATE = "SELECT size, checkpoint FROM log_state"
READ_KEY = "SELECT verifier_key FROM log_state"
AGE = """
SELECT CASE WHEN p.id < h.last_id THEN (
    SELECT extract(epoch FROM clock_timestamp() - created)::float8 FROM posts WHERE id > p.id ORDER BY id LIMIT 1) END
FROM log_head h, (
    SELECT s.size - 1 + (SELECT b.first_id - b.first_index - 1 FROM log_begins b WHERE b.first_index < s.size
        ORDER BY b.generation DESC LIMIT 1) AS id
    FROM log_state s) p
WHERE p.id IS NOT NULL
"""


class LogMismatchError(Exception):
    """The posts no longer give the tree that was signed, so nothing more is signed."""


class Step(Struct, frozen=True):
    """The result of a step: `leaves` were added, `behind` remain, the oldest of them was published at `oldest`."""

    leaves: int
    behind: int
    oldest: float | None


async def extend(connection: asyncpg.Connection, signer: "Signer") -> Step | None:
    """Add the next posts to the tree and sign it, in one transaction. Return None if another process is doing so.

    A gap of ids ends the step. The next one writes that the log begins again, with the root up to there.
    Raises LogMismatchError if leaves that were signed have changed.
    """
    async with connection.transaction():
        await connection.execute(DURABLY)
        state = await connection.fetchrow(LOCK)
        if state is None:
            return None
        size, head, begin = state["size"], await connection.fetchval(HEAD), await newest_begin(connection)
        # The post with this id has the index 0, if there are no gaps before it.
        first_id = begin["first_id"] - begin["first_index"] - 1
        total = max(head - first_id, begin["first_index"]) + 1
        new_size = min(size + LEAVES_PER_STEP, total)
        hashes = await read_growth(connection, size, new_size)
        whole = hashes.first_missing(size - size % HASHES_PER_TILE, new_size)
        if whole < size or (size and range_root(0, size, hashes.complete) != state["root"]):
            raise LogMismatchError(f"The first {size} leaves are no longer those that were signed.")
        if whole == size < new_size:
            next_id = await connection.fetchval(NEXT_POST, size + first_id) or head + 1
            # A restore brings back an older log, whose numbers were perhaps used since. Time never returns.
            generation = max(begin["generation"] + 1, int(time.time()))
            await begin_again(connection, generation, next_id, state)
        else:
            await sign(connection, signer, hashes, state, whole)
        oldest = await connection.fetchval(CREATED, whole + first_id) if whole < total else None
        return Step(whole - size, total - whole, oldest)


async def read_growth(connection: asyncpg.Connection, size: int, new_size: int) -> Hashes:
    """Return what a tree needs to grow: the hashes of its incomplete tiles, and those of the leaves after them."""
    hashes = await read_hashes(connection, [run for run in edge(size) if run.level])
    for row in await connection.fetch(ENTRIES, size - size % HASHES_PER_TILE, new_size - 1):
        hashes.known[0, row["index"]] = leaf_hash(row["entry"])
    return hashes


async def newest_begin(connection: asyncpg.Connection) -> asyncpg.Record:
    """Return the newest `begin` of the log, the first one if it has none yet."""
    found = await connection.fetchrow(NEWEST_BEGIN)
    if found is None:
        await connection.execute(BEGIN, 1, 0, 1, "begin 1\n")
        found = await connection.fetchrow(NEWEST_BEGIN)
    assert found is not None
    return found


async def begin_again(connection: asyncpg.Connection, generation: int, first_id: int, state: asyncpg.Record) -> None:
    """Let the log go on with this id, after ids that a restore left out. Leaves may be lost that others have seen."""
    entry = f"begin {generation} {state['size']} {base64.b64encode(state['root']).decode()}\n"
    await connection.execute(BEGIN, generation, state["size"], first_id, entry)


async def read_hashes(connection: Database, runs: Collection[Run]) -> Hashes:
    """Return the hashes of these runs, in one statement."""
    hashes, columns = Hashes(), ([run[column] for run in runs] for column in range(3))
    for row in await connection.fetch(RUNS, *columns):
        hashes.add(row["level"], row["first"], row["hashes"])
    return hashes


async def sign(
    connection: asyncpg.Connection, signer: "Signer", hashes: Hashes, state: asyncpg.Record, size: int
) -> None:
    """Sign the tree of `size` leaves and announce it, unless it was signed by this key already."""
    generation = await connection.fetchval(GENERATION, size)
    # A later generation has the same public key, so readers need no other.
    key = signer.verifier_key(1)
    if size == state["size"] and key == state["verifier_key"]:
        return
    nodes = list(hashes.grow(state["size"], size))
    if nodes:
        await connection.execute(ADD_NODES, *(list(column) for column in zip(*nodes, strict=True)))
    root = range_root(0, size, hashes.complete)
    await connection.execute(SIGN, size, root, signer.sign(generation, size, root), key)
    # Last, because all writers of the log wait for it until this transaction ends.
    if key != state["verifier_key"]:
        await connection.execute(ANNOUNCE, "limit")
    await connection.execute(ANNOUNCE, "checkpoint")


async def read_verifier_key(reads: Database) -> str | None:
    """Return the key that verifies the newest checkpoint; None without a log."""
    found: str | None = await reads.fetchval(READ_KEY)
    return found


async def read_checkpoint(reads: Database) -> bytes:
    """Return the newest checkpoint, a signed note. Raises NotFound if this board has no log."""
    state = await reads.fetchrow(READ_STATE)
    if state is None or state["checkpoint"] is None:
        raise NotFound()
    return str(state["checkpoint"]).encode()


async def read_tile(reads: Database, tile: Tile) -> bytes:
    """Return the hashes of a tile. Raises NotFound unless the newest checkpoint covers it."""
    await check_covered(reads, tile)
    return bytes(await reads.fetchval(HASHES, *tile.run))


async def read_entries(reads: Database, tile: Tile) -> bytes:
    """Return the entries of a tile of level 0, each after its length. Raises as read_tile."""
    await check_covered(reads, tile)
    rows = await reads.fetch(ENTRIES, tile.run.first, tile.run.last)
    return b"".join(len(row["entry"]).to_bytes(2, "big") + row["entry"] for row in rows)


async def check_covered(reads: Database, tile: Tile) -> None:
    state = await reads.fetchrow(READ_STATE)
    if state is None or tile.run.last >= count(tile.level, state["size"]):
        raise NotFound()


async def find_age(database: Database) -> float | None:
    """Return for how many seconds the oldest post has waited to be signed; None if none waits, or without a key."""
    age: float | None = await database.fetchval(AGE)
    return age if await database.fetchval(READ_KEY) else None

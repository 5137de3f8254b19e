"""The hashes of the verifiable log as its tiles have them, by level and position (C2SP tlog-tiles).

Level 0 has the hashes of the leaves. A hash of the next level is the root of 256 hashes of the level below.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct

from services.board.errors import NotFound
from services.contract.bounds import ID_MAX

from .merkle_tree import node_hash

TILE_HEIGHT: Final = 8
HASHES_PER_TILE: Final = 2**TILE_HEIGHT
HASH_BYTES: Final = 32
LEVELS: Final = 7
"""Levels of tiles: 256**7 leaves are more than there are ids."""
DIGITS_MAX: Final = 18
"""Six groups of three digits hold the number of every tile."""


class Node(NamedTuple):
    """A hash above level 0."""

    level: int
    position: int
    hash: bytes


class Run(NamedTuple):
    """The hashes of a level from position `first` to `last`."""

    level: int
    first: int
    last: int


class Tile(Struct, frozen=True):
    """A tile as its path names it: level, number, and how many hashes it has, 1 to 256."""

    level: int
    number: int
    width: int = HASHES_PER_TILE

    @property
    def run(self) -> Run:
        first = self.number * HASHES_PER_TILE
        return Run(self.level, first, first + self.width - 1)


def parse_bundle(text: str) -> Tile:
    """Return the tile of level 0 whose entries a path names. Raises as parse_tile."""
    return parse_tile(f"0/{text}")


def parse_tile(text: str) -> Tile:
    """Return the tile that a path names (C2SP tlog-tiles). A number has no leading groups of zeros.

    `text` has the pattern of the contract. Raises NotFound if there can be no such tile.
    """
    level, _, rest = text.partition("/")
    number, _, width = rest.partition(".p/")
    digits = re.sub("[x/]", "", number)
    if len(digits) > DIGITS_MAX or number.startswith("x000") or int(width or 0) >= HASHES_PER_TILE:
        raise NotFound()
    tile = Tile(int(level), int(digits), int(width or HASHES_PER_TILE))
    if tile.run.last > ID_MAX:
        raise NotFound()
    return tile


class Hashes:
    """Hashes by their level and position, from which roots of complete subtrees are computed."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], bytes] = {}

    def add(self, level: int, first: int, hashes: bytes) -> None:
        """Add the hashes of a level, one after the other, from a position on."""
        for number in range(len(hashes) // HASH_BYTES):
            self.known[level, first + number] = hashes[number * HASH_BYTES : (number + 1) * HASH_BYTES]

    def complete(self, height: int, index: int) -> bytes:
        """Return the root of the 2**height leaves from index * 2**height on. Raises KeyError if hashes are missing."""
        level, above = divmod(height, TILE_HEIGHT)
        found = self.known.get((level, index)) if above == 0 else None
        if found is None and height == 0:
            raise KeyError(index)
        return found or node_hash(self.complete(height - 1, 2 * index), self.complete(height - 1, 2 * index + 1))

    def gives(self, height: int, index: int, root: bytes) -> bool:
        """Return whether the hashes give this root of a complete subtree."""
        try:
            return self.complete(height, index) == root
        except KeyError:
            return False

    def first_missing(self, first: int, size: int) -> int:
        """Return the first leaf from `first` on that is missing; `size` if none before it is."""
        return next((index for index in range(first, size) if (0, index) not in self.known), size)

    def grow(self, size: int, new_size: int) -> Iterator[Node]:
        """Add the hashes of the tiles that become complete when a tree of `size` leaves grows, and yield them."""
        for level in range(1, LEVELS):
            for position in range(count(level, size), count(level, new_size)):
                made = self.known[level, position] = self.complete(level * TILE_HEIGHT, position)
                yield Node(level, position, made)


def count(level: int, size: int) -> int:
    """Return how many hashes a level has in a tree of `size` leaves."""
    return size >> (TILE_HEIGHT * level)


def tile_from(level: int, position: int, size: int) -> Run:
    """Return the tile of a level that holds a position, as far as a tree of `size` leaves has it."""
    first = position - position % HASHES_PER_TILE
    return Run(level, first, min(first + HASHES_PER_TILE, count(level, size)) - 1)


def edge(size: int) -> list[Run]:
    """Return the incomplete tiles of a tree, from which its root is computed."""
    return path(size, size)


def path(index: int, size: int) -> list[Run]:
    """Return the tiles that hold the path from a leaf to the root of a tree."""
    runs = (tile_from(level, count(level, index), size) for level in range(LEVELS))
    return [run for run in runs if run.last >= run.first]

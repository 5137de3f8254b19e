"""The tree against the recursive definition of RFC 6962, for sizes up to 1,000."""

from functools import cache
from hashlib import sha256

import pytest

from services.board.verifiable_log import merkle_tree

LEAVES = [sha256(b"\x00" + str(i).encode()).digest() for i in range(1000)]


@cache
def defined_root(start: int, end: int) -> bytes:
    """Return MTH of RFC 6962, written out from its definition."""
    if start == end:
        return sha256(b"").digest()
    if end - start == 1:
        return LEAVES[start]
    k = 1
    while 2 * k < end - start:
        k *= 2
    left, right = defined_root(start, start + k), defined_root(start + k, end)
    return sha256(b"\x01" + left + right).digest()


def complete(level: int, index: int) -> bytes:
    """Return the root of a complete subtree."""
    return defined_root(index << level, (index + 1) << level)


SIZES = range(1, 1001)
POSITIONS = [0, 1, 2, 3, 127, 255, 256, 257, 511, 512, 700, 999]


def test_leaf_hash_is_prefixed() -> None:
    assert merkle_tree.leaf_hash(b"7") == LEAVES[7]


def test_roots_are_those_of_the_definition() -> None:
    for size in range(1001):
        assert merkle_tree.range_root(0, size, complete) == defined_root(0, size)


def test_every_inclusion_proof_leads_to_the_root() -> None:
    for size in SIZES:
        for index in {p % size for p in POSITIONS} | {size - 1}:
            proof = merkle_tree.inclusion_proof(index, size, complete)
            check = merkle_tree.root_of_inclusion
            assert check(LEAVES[index], index, size, proof) == defined_root(0, size)
            assert check(EMPTY, index, size, proof) != defined_root(0, size)
            assert check(LEAVES[index], index, size, [*proof, EMPTY]) is None


@pytest.mark.parametrize("index", [-1, 5, 6])
def test_a_leaf_outside_the_tree_has_no_proof(index: int) -> None:
    with pytest.raises(ValueError, match="not in a tree"):
        merkle_tree.inclusion_proof(index, 5, complete)
    assert merkle_tree.root_of_inclusion(EMPTY, index, 5, []) is None


EMPTY = merkle_tree.EMPTY_ROOT

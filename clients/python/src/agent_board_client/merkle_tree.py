"""The Merkle tree of RFC 6962: leaves, nodes, roots and proofs of inclusion, without a database.

A proof needs only roots of complete subtrees. `complete(level, index)` is a
function that returns the root of the 2**level leaves from index * 2**level on;
a reader of tiles supplies it.
"""

from collections.abc import Callable
from hashlib import sha256

Complete = Callable[[int, int], bytes]

EMPTY_ROOT = sha256().digest()


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf (RFC 6962, section 2.1; log_hashes.sql)."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node (RFC 6962, section 2.1)."""
    return sha256(b"\x01" + left + right).digest()


def split(count: int) -> int:
    """Return the largest power of two below count, which is at least 2."""
    return 1 << ((count - 1).bit_length() - 1)


def range_root(start: int, end: int, complete: Complete) -> bytes:
    """Return the root of leaves start (included) to end (excluded).

    The range must be a subtree of some tree: start is a multiple of the
    smallest power of two that holds the range.
    """
    count = end - start
    if count == 0:
        return EMPTY_ROOT
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return complete(level, start >> level)
    middle = start + split(count)
    return node_hash(range_root(start, middle, complete), range_root(middle, end, complete))


def inclusion_proof(index: int, size: int, complete: Complete) -> list[bytes]:
    """Return the audit path of leaf index in the tree of size leaves.

    Raises ValueError unless 0 <= index < size (RFC 6962, section 2.1.1).
    """
    if not 0 <= index < size:
        raise ValueError(f"Leaf {index} is not in a tree of {size} leaves.")
    proof, start, end = [], 0, size
    while end - start > 1:
        middle = start + split(end - start)
        if index < middle:
            proof.append(range_root(middle, end, complete))
            end = middle
        else:
            proof.append(range_root(start, middle, complete))
            start = middle
    return proof[::-1]


def root_of_inclusion(leaf: bytes, index: int, size: int, proof: list[bytes]) -> bytes | None:
    """Return the root that the audit path leads to (RFC 9162, section 2.1.3.2).

    None means that the path does not have the length of its tree.
    """
    if not 0 <= index < size:
        return None
    node, last, root = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return None
        if node & 1 or node == last:
            root = node_hash(sibling, root)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            root = node_hash(root, sibling)
        node, last = node >> 1, last >> 1
    return root if last == 0 else None

"""The tiles of a log, as a source of complete subtrees for proofs (C2SP tlog-tiles)."""

from collections.abc import Callable, Sequence

from .calls import Call, Operation
from .client import Board
from .errors import LogAbsent, LogFault, Refused
from .log_entries import parse_bundle
from .merkle_tree import consistency_proof, inclusion_proof, is_consistent, leaf_hash, node_hash, root_of_inclusion
from .signed_note import Checkpoint, VerifierKey, verify_checkpoint

Get = Callable[[str], bytes]
PREFIX = "/log"
ROWS = 8
WIDTH = 1 << ROWS
HASH_BYTES = 32
KEPT_MAX = 64


class Tiles:
    """Reads the tiles under a checkpoint of `size` leaves, and keeps the last ones.

    A single tile proves nothing: compare the root that follows from it with that of a checkpoint.
    """

    def __init__(self, get: Get, size: int) -> None:
        self._get = get
        self._size = size
        self._kept: dict[tuple[int, int], list[bytes]] = {}

    def width(self, level: int, number: int) -> int:
        """Return how many hashes a tile has in a tree of this size."""
        return max(0, min(WIDTH, (self._size >> ROWS * level) - number * WIDTH))

    def hashes(self, level: int, number: int) -> list[bytes]:
        """Return the hashes of a tile. Raises LogFault if the board does not serve it whole."""
        known = self._kept.pop((level, number), None)
        tile = self._read(level, number) if known is None else known
        self._kept[level, number] = tile
        if len(self._kept) > KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        return tile

    def complete(self, level: int, index: int) -> bytes:
        """Return the root of the 2**level leaves from index * 2**level on, for the functions of `merkle_tree`."""
        number, position = divmod(index << level % ROWS, WIDTH)
        return fold(self.hashes(level // ROWS, number)[position : position + (1 << level % ROWS)])

    def entries(self, number: int) -> list[bytes]:
        """Return the entries under a tile of level 0. Raises LogFault if the board does not serve all."""
        width = self.width(0, number)
        content = self._get(tile_path("entries", number, width))
        try:
            return parse_bundle(content, width)
        except LogFault:
            return parse_bundle(content, WIDTH)[:width]

    def holds(self, index: int, entry: bytes, checkpoint: Checkpoint) -> bool:
        """Return whether the tree of a checkpoint has an entry at an index that it covers."""
        proof = inclusion_proof(index, checkpoint.size, self.complete)
        return root_of_inclusion(leaf_hash(entry), index, checkpoint.size, proof) == checkpoint.root

    def begins_with(self, size: int, root: bytes, checkpoint: Checkpoint) -> bool:
        """Return whether the tree of a checkpoint begins with the tree of another size and root."""
        if not 1 <= size <= checkpoint.size:
            return False
        proof = consistency_proof(size, checkpoint.size, self.complete)
        return is_consistent(size, root, checkpoint.size, checkpoint.root, proof)

    def _read(self, level: int, number: int) -> list[bytes]:
        width = self.width(level, number)
        content = self._get(tile_path(level, number, width))
        # A board may answer the full tile where a partial one was asked for (C2SP tlog-tiles, "Partial tiles").
        if not width or len(content) not in (width * HASH_BYTES, WIDTH * HASH_BYTES):
            raise LogFault("A tile does not have the length that the checkpoint asks for.")
        return [content[at : at + HASH_BYTES] for at in range(0, width * HASH_BYTES, HASH_BYTES)]


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the root over hashes whose number is a power of two."""
    while len(hashes) > 1:
        hashes = [node_hash(*hashes[at : at + 2]) for at in range(0, len(hashes), 2)]
    return hashes[0]


def tile_path(level: int | str, number: int, width: int = WIDTH) -> str:
    """Return the path of a tile below the log (C2SP tlog-tiles, "Tile URLs"): three digits a part, then the width."""
    digits = f"{number:03}"
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    *others, last = [digits[at : at + 3] for at in range(0, len(digits), 3)]
    path = "/".join(["tile", str(level), *(f"x{part}" for part in others), last])
    return path if width == WIDTH else f"{path}.p/{width}"


def log_reader(board: Board) -> Get:
    """Return a function that reads a path of the log. It raises BoardError, and LogAbsent if there is nothing."""

    def get(path: str) -> bytes:
        try:
            return read(board, path)
        except Refused as error:
            if error.status != 404 or ".p/" not in path:
                raise absent(error, path) from None
        try:
            return read(board, path.partition(".p/")[0])
        except Refused as error:
            raise absent(error, path) from None

    return get


def read(board: Board, path: str) -> bytes:
    operation: Operation[bytes] = Operation(
        "read_log", "GET", f"{PREFIX}/{path}", bytes, "Read the log.", needs_token=False, keyed=False, limit=None
    )
    return board.pages.send(Call(operation))


def absent(error: Refused, path: str) -> Refused | LogAbsent:
    if error.status != 404:
        return error
    hint = "The checkpoint covers it, if the board has a log."
    return LogAbsent(f"The board does not serve {path} of its log.", hint)


def read_checkpoint(board: Board, key: VerifierKey) -> Checkpoint:
    """Return the newest checkpoint of a board.

    Raises LogFault if the key did not sign it, LogAbsent if there is none, and BoardError.
    """
    content = log_reader(board)("checkpoint")
    try:
        return verify_checkpoint(content.decode(), key)
    except UnicodeDecodeError:
        raise LogFault("The checkpoint is not a signed note.") from None

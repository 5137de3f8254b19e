"""The audit of a log: every entry, every tile, the root, and the visible posts of the board."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from .client import Board
from .errors import LogFault
from .log_entries import Begin, Entry, Posted, false_begin, parse_entry
from .log_posts import Erasures, Post, matches, posts
from .log_tiles import WIDTH, Tiles, fold, log_reader, read_checkpoint
from .merkle_tree import leaf_hash, range_root
from .signed_note import Checkpoint, VerifierKey

DIFFERENCES_MAX = 20


@dataclass
class Audit:
    """The counts of an audit, and the differences in sentences."""

    origin: str
    size: int
    posts: int = 0
    compared: int = 0
    hidden: int = 0
    erased: int = 0
    differences: list[str] = field(default_factory=list)

    def differ(self, sentence: str) -> None:
        """Record a difference. Raises LogFault when there are too many to go on."""
        self.differences.append(sentence)
        if len(self.differences) >= DIFFERENCES_MAX:
            first = self.differences[0]
            raise LogFault(f"The audit ended at {DIFFERENCES_MAX} differences. The first one: {first}")


class Columns:
    """The tiles that follow from the entries, compared with those of the board; one of each level is in memory."""

    def __init__(self, tiles: Tiles) -> None:
        self._tiles = tiles
        self._open: list[list[bytes]] = []
        self._done: list[int] = []

    def add(self, content: bytes, level: int = 0) -> None:
        """Add the next hash of a level. Raises LogFault if the board has another tile."""
        if level == len(self._open):
            self._open.append([])
            self._done.append(0)
        self._open[level].append(content)
        if len(self._open[level]) == WIDTH:
            self._compare(level)
            self.add(fold(self._open[level]), level + 1)
            self._open[level] = []
            self._done[level] += 1

    def root(self, size: int) -> bytes:
        """Return the root of the entries so far, of which there are `size` (RFC 6962, section 2.1)."""
        return range_root(0, size, self._complete)

    def close(self) -> None:
        """Compare the tiles that are not full. Raises LogFault if the board has another tile."""
        for level, hashes in enumerate(self._open):
            if hashes:
                self._compare(level)

    def _compare(self, level: int) -> None:
        number = self._done[level]
        if self._tiles.hashes(level, number) != self._open[level]:
            below = "the entries" if level == 0 else "the tiles below it"
            raise LogFault(f"The tile {number} of level {level} does not follow from {below}.")

    def _complete(self, level: int, index: int) -> bytes:
        row, count = level // 8, 1 << level % 8
        position = (index << level % 8) % WIDTH
        return fold(self._open[row][position : position + count])


class Order:
    """The rule of the ids: by one between two begins of generations, and with a gap after one."""

    def __init__(self) -> None:
        self.generation = 0
        self._last = 0
        self._after_begin = False

    def take(self, index: int, entry: Entry) -> None:
        """Take the next entry. Raises LogFault if it is not one that may follow."""
        right = self._begun(entry) if isinstance(entry, Begin) else self._risen(entry)
        if not right:
            raise LogFault(f"The entry {index} does not follow from those before it.")

    def _begun(self, begin: Begin) -> bool:
        # the first one is the only one of the generation 1
        right = begin.generation > self.generation and (begin.generation == 1) == (self.generation == 0)
        self.generation, self._after_begin = begin.generation, begin.generation > 1
        return right

    def _risen(self, entry: Posted) -> bool:
        step = entry.post_id - self._last
        right = self.generation > 0 and (step > 1 if self._after_begin else step == 1)
        self._last, self._after_begin = entry.post_id, False
        return right


def audit(board: Board, key: VerifierKey) -> Audit:
    """Read the whole log and every visible post, and return the counts and the differences.

    Raises LogFault if the log contradicts itself or its checkpoint, or has too many differences; BoardError.
    """
    checkpoint = read_checkpoint(board, key)
    tiles = Tiles(log_reader(board), checkpoint.size)
    result = Audit(checkpoint.origin, checkpoint.size)
    compare_posts(checked_entries(checkpoint, tiles), board, result)
    return result


def checked_entries(checkpoint: Checkpoint, tiles: Tiles) -> Iterator[Posted]:
    """Yield the entries of posts. Raises LogFault at the first thing that is wrong, at the latest at the end."""
    columns, order = Columns(tiles), Order()
    for number in range(-(-checkpoint.size // WIDTH)):
        for index, content in enumerate(tiles.entries(number), number * WIDTH):
            entry = parse_entry(content)
            order.take(index, entry)
            if isinstance(entry, Posted):
                yield entry
            elif entry.size != index or entry.root != columns.root(index):
                raise false_begin(index)
            columns.add(leaf_hash(content))
    check_end(checkpoint, columns, order)


def check_end(checkpoint: Checkpoint, columns: Columns, order: Order) -> None:
    """Raise LogFault unless all entries together are what the checkpoint signs."""
    columns.close()
    if columns.root(checkpoint.size) != checkpoint.root:
        raise LogFault("The entries do not have the root of the checkpoint.")
    if order.generation != checkpoint.generation:
        raise LogFault("The checkpoint names another generation than the entries.")


def compare_posts(entries: Iterator[Posted], board: Board, result: Audit) -> None:
    """Compare the entries with the posts of the board, both in the order of their ids."""
    erasures = Erasures(board)
    shown = posts(board, erasures.expect_more)
    post = next(shown, None)
    for entry in entries:
        result.posts += 1
        while post is not None and post.id < entry.post_id:
            result.differ(f"The board has the post {post.id}, and the log does not.")
            post = next(shown, None)
        if post is None or post.id > entry.post_id:
            result.differ(f"The log has the post {entry.post_id}, and the board does not.")
            continue
        compare_post(entry, post, erasures, result)
        post = next(shown, None)


def compare_post(entry: Posted, post: Post, erasures: Erasures, result: Audit) -> None:
    """Count a post as compared, hidden or erased, and record it if its digest is another one."""
    if not post.hidden and matches(post, entry.digest):
        result.compared += 1
    elif erasures.cover(post):
        result.erased += 1
    elif post.hidden:
        result.hidden += 1
    else:
        result.compared += 1
        result.differ(f"The post {post.id} is not the one that the log has.")

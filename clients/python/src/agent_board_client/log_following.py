"""Following a log: each new checkpoint is proved to continue the last one (RFC 6962, section 2.1.2)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

from .client import Board
from .errors import LogAbsent, LogFault, RolledBack, StorageError
from .log_entries import Begin, false_begin, parse_entry
from .log_memory import LogMemory
from .log_tiles import WIDTH, Tiles, log_reader, read_checkpoint
from .merkle_tree import range_root
from .signed_note import Checkpoint, VerifierKey
from .wording import counted

# Other processes that share the folder advance it: each look that is in vain is one of theirs that was not.
LOOKS_MAX = 10
FIRST, UNCHANGED, GROWN, RESTORED = "first", "unchanged", "grown", "restored"


@dataclass(frozen=True)
class Advance:
    """How a log went on. `lost` counts the entries, the last of those `seen`, that a restore left out."""

    event: str
    origin: str
    size: int
    seen: int
    lost: int = 0

    @property
    def sentence(self) -> str:
        """The advance in plain words."""
        size = counted(self.size, "entry", "entries")
        if self.event == FIRST:
            return f"The log has {size}. Its next checkpoint is compared with this one."
        if self.event == UNCHANGED:
            return f"The log still has {size}."
        grown = f"The log went on from {self.seen} to {size}."
        if self.event == GROWN:
            return grown
        if self.lost:
            first, last = self.seen - self.lost, self.seen - 1
            lost = f"entry {last}" if first == last else f"entries {first} to {last}"
            return f"A restore lost {lost}, which you had seen. The log has {size} now."
        return f"{grown} A restore left ids out, and no entry that you had seen was lost."


def follow(board: Board, key: VerifierKey, memory: LogMemory) -> Advance:
    """Read the newest checkpoint, prove it against the last one, and keep it.

    Raises RolledBack and LogAbsent, which a restore can explain later; LogFault if the log was forked or rewritten: the
    newest checkpoint is then kept as evidence beside the last one. Raises BoardError.
    """
    for _ in range(LOOKS_MAX):
        last, newest, advance = look(board, key, memory)
        if memory.keep(newest, last):
            return advance
    raise StorageError("Other processes replace the last checkpoint again and again.", "Let fewer of them follow.")


def look(
    board: Board, key: VerifierKey, memory: LogMemory, again: bool = True
) -> tuple[Checkpoint | None, Checkpoint, Advance]:
    """Return the last checkpoint, the newest one, and how the log went on between them.

    `again`: look a second time before a fault, because a restore can replace the log while it is read. Raises as
    `follow` does.
    """
    last, newest = memory.checkpoint(key), read_checkpoint(board, key)
    try:
        return last, newest, compare(last, newest, Tiles(log_reader(board), newest.size))
    except (RolledBack, LogAbsent):
        raise
    except LogFault as fault:
        if again and read_checkpoint(board, key) != newest:
            return look(board, key, memory, again=False)
        raise LogFault(str(fault), evidence(memory, newest)) from None


def evidence(memory: LogMemory, refused: Checkpoint) -> str:
    """Keep a refused checkpoint, and return where it is: the fault is reported even if there is no room for it."""
    try:
        return f"The refused checkpoint is in {memory.keep_refused(refused)}, the last one beside it."
    except StorageError as error:
        return f"{error} The refused checkpoint is: {refused.text}"


def compare(last: Checkpoint | None, newest: Checkpoint, tiles: Tiles) -> Advance:
    """Return how a log went on from one checkpoint to another. Raises LogFault if it did not."""
    if last is None:
        check_root(newest, tiles)
        return Advance(FIRST, newest.origin, newest.size, 0)
    if newest.generation > last.generation:
        return after_restore(last, newest, tiles)
    if newest.generation < last.generation or newest.size < last.size:
        raise RolledBack(last.size, newest.size)
    if newest.size == last.size and newest.root != last.root:
        raise LogFault(f"The log was forked: its {newest.size} entries have two roots.")
    if not tiles.begins_with(last.size, last.root, newest):
        raise LogFault(f"The log was rewritten: its first {last.size} entries are not those of the last checkpoint.")
    return Advance(GROWN if newest.size > last.size else UNCHANGED, newest.origin, newest.size, last.size)


def check_root(checkpoint: Checkpoint, tiles: Tiles) -> None:
    """Raise LogFault unless the tiles have the root of a checkpoint."""
    if range_root(0, checkpoint.size, tiles.complete) != checkpoint.root:
        raise LogFault("The tiles of the log do not have the root of the checkpoint.")


def after_restore(last: Checkpoint, newest: Checkpoint, tiles: Tiles) -> Advance:
    """Return how a log went on over restores, each of which begins a generation. Raises LogFault if it did not."""
    whole = tiles.begins_with(last.size, last.root, newest)
    start = last.size if whole else place_before(last, newest, tiles)
    check_begins(range(start, newest.size), last.generation, newest, tiles)
    return Advance(RESTORED, newest.origin, newest.size, last.size, 0 if whole else last.size - start)


def place_before(last: Checkpoint, newest: Checkpoint, tiles: Tiles) -> int:
    """Return the index at which a restore cut off what the last checkpoint covers. Raises LogFault without one."""
    found = found_begins(range(min(last.size, newest.size) - 1, -1, -1), tiles)
    places = [index for index, _ in takewhile(lambda each: each[1].generation > last.generation, found)]
    if not places:
        raise LogFault(f"The log was rewritten: no restore explains its change before entry {last.size}.")
    return places[-1]


def check_begins(places: range, generation: int, newest: Checkpoint, tiles: Tiles) -> None:
    """Raise LogFault unless later generations begin at these places, in their order, up to that of a checkpoint."""
    found = found_begins(places, tiles)
    while generation != newest.generation:
        index, begin = next(found, (0, None))
        if begin is None or not generation < begin.generation <= newest.generation:
            raise LogFault(f"The log has no entry that begins its generation {newest.generation}.")
        if not tiles.holds(index, begin.text, newest):
            raise LogFault(f"The entry {index} is not in the tree of the checkpoint.")
        if begin.size != index or not tiles.begins_with(index, begin.root, newest):
            raise false_begin(index)
        generation = begin.generation


def found_begins(places: Iterable[int], tiles: Tiles) -> Iterator[tuple[int, Begin]]:
    """Yield the begins at these places, in their order; of the bundles, one at a time is in memory."""
    number, bundle = -1, list[bytes]()
    for index in places:
        if index // WIDTH != number:
            number = index // WIDTH
            bundle = tiles.entries(number)
        content = bundle[index % WIDTH]
        if content.startswith(b"begin") and isinstance(entry := parse_entry(content), Begin):
            yield index, entry

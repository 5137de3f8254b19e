"""One bounded part of the memory: entries in the order of their last use."""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Any, NamedTuple


class Entry(NamedTuple):
    """A value to cache, the tags that it depends on, and its size in bytes.

    If `tags` is None, it depends on more than changes show and is not kept. If it is `absent`, the value stands for
    something that was not found.
    """

    value: Any
    tags: frozenset[str] | None
    size: int
    absent: bool = False


class Shelf:
    """Entries of up to `size` bytes in total; the least recently used one makes room first."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = 0
        self.entries: OrderedDict[Hashable, Entry] = OrderedDict()

    def find(self, key: Hashable) -> Entry | None:
        entry = self.entries.get(key)
        if entry is not None:
            self.entries.move_to_end(key)
        return entry

    def put(self, key: Hashable, entry: Entry) -> None:
        """Add an entry under a new key; the caller then takes out the surplus."""
        self.entries[key] = entry
        self.held += entry.size

    def take(self, key: Hashable) -> Entry | None:
        """Remove and return the entry under a key, or None."""
        entry = self.entries.pop(key, None)
        if entry is not None:
            self.held -= entry.size
        return entry

    def surplus(self) -> Iterator[Hashable]:
        """Return key after key to take out, until the rest is small enough."""
        while self.held > self.size:
            yield next(iter(self.entries))

    def clear(self) -> None:
        self.entries.clear()
        self.held = 0

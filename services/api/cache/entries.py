"""The entries of the cache: each is found until a thing that it depends on changes.

A change costs the same however many entries it makes stale. Stale entries are not found. They stay in memory until the
next build replaces them, or until they are evicted like any other unused entry.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Any, Final, NamedTuple

from cachetools import LRUCache
from prometheus_client import Counter, Gauge

from services.process.metrics import Registry

ENTRY_BYTES: Final = 1000  # the overhead of an entry, besides its value
# Things that were not found have this part of the memory to themselves: guesses must not evict answers.
ABSENT_PART: Final = 16
TAGS_MAX: Final = 20_000
"""For how many tags the last change is known. Entries from before a change that is forgotten are stale."""


class Entry(NamedTuple):
    """A value to cache, the tags that it depends on, and its size in bytes.

    If `tags` is None, it depends on more than changes show and is not kept. If it is `absent`, the value represents
    something that was not found.
    """

    value: Any
    tags: frozenset[str] | None
    size: int
    absent: bool = False


class Kept(NamedTuple):
    """An entry in memory, and the moment at which its build began."""

    entry: Entry
    moment: int


class Entries:
    """Entries of up to `size` bytes in total; the least recently used one is evicted first.

    `moment` counts the changes.
    """

    def __init__(self, size: int, registry: Registry) -> None:
        self.answers: LRUCache[Hashable, Kept] = LRUCache(size - size // ABSENT_PART, size_of)
        self.absences: LRUCache[Hashable, Kept] = LRUCache(size // ABSENT_PART, size_of)
        self.moment = 0
        self.changed: OrderedDict[str, int] = OrderedDict()  # the moments of the last changes of tags, oldest first
        self.forgotten = 0  # the moment of the last change that is not in `changed`
        self.evictions = Counter(
            "agent_board_memory_evictions_total", "Answers but 404 evicted to make room.", registry=registry
        )
        Gauge("agent_board_memory_bytes", "Bytes of the entries in memory.", registry=registry).set_function(
            lambda: self.held
        )
        Gauge("agent_board_memory_entries", "Entries in memory.", registry=registry).set_function(self.count)

    def find(self, key: Hashable) -> Entry | None:
        """Return the entry under a key, unless it is stale."""
        kept: Kept | None
        try:
            kept = self.answers[key]
        except KeyError:
            kept = self.absences.get(key)
        return None if kept is None or self.is_stale(kept.entry.tags, kept.moment) else kept.entry

    def is_stale(self, tags: Iterable[str] | None, moment: int) -> bool:
        """Return whether one of these tags may have changed since a moment, or anything if the tags are not known."""
        if self.forgotten > moment:
            return True
        if tags is None:
            return self.moment > moment
        return any(self.changed.get(tag, 0) > moment for tag in tags)

    def keep(self, key: Hashable, entry: Entry, moment: int) -> None:
        """Keep an entry whose build began at a moment, unless it is stale already, and make room for it.

        One that is larger than the memory counts as evicted at once.
        """
        if entry.tags is None or self.is_stale(entry.tags, moment):
            return
        self.answers.pop(key, None)
        self.absences.pop(key, None)
        kept = Kept(entry, moment)
        part = self.absences if entry.absent else self.answers
        if size_of(kept) > part.maxsize:
            self.evictions.inc()
            return
        while part.currsize + size_of(kept) > part.maxsize:
            self.evict_oldest(part)
        part[key] = kept

    def evict_oldest(self, part: LRUCache[Hashable, Kept]) -> None:
        _, kept = part.popitem()
        # a flood of guesses does not mean that the memory is too small, and neither does a change
        if not kept.entry.absent and not self.is_stale(kept.entry.tags, kept.moment):
            self.evictions.inc()

    def outdate(self, tags: Iterable[str]) -> None:
        """Make all entries stale that depend on one of these tags."""
        self.moment += 1
        for tag in tags:
            self.changed[tag] = self.moment
            self.changed.move_to_end(tag)
        while len(self.changed) > TAGS_MAX:
            _, self.forgotten = self.changed.popitem(last=False)

    def clear(self) -> None:
        """Evict everything, also what is being built."""
        self.answers.clear()
        self.absences.clear()
        self.changed.clear()
        self.moment += 1
        self.forgotten = self.moment

    @property
    def held(self) -> float:
        """The bytes of all entries."""
        return self.answers.currsize + self.absences.currsize

    def count(self) -> int:
        """Return the number of entries."""
        return len(self.answers) + len(self.absences)


def size_of(kept: Kept) -> int:
    """Return the bytes that an entry takes, with its overhead."""
    return kept.entry.size + ENTRY_BYTES

"""The entries of the cache: each is found until a thing that it depends on changes, and evicted soon after.

A change makes any number of entries stale at once, in constant time: its cost must not grow with the memory. Stale
entries are not found, and each later change or new entry evicts some of them.
"""

from collections.abc import Hashable, Iterable
from typing import Any, Final, NamedTuple

from cachetools import LRUCache
from prometheus_client import Counter, Gauge

from services.api.cache.tags import DROPS
from services.process.metrics import Registry

ENTRY_BYTES: Final = 1000  # the overhead of an entry, besides its value
# Things that were not found have this part of the memory to themselves: guesses must not evict answers.
ABSENT_PART: Final = 16
STALE_AT_ONCE: Final = 50
"""How many stale entries are evicted together: less than a millisecond's work, and many more than the one added."""


class Entry(NamedTuple):
    """A value to cache, the tags that it depends on, and its size in bytes.

    If `tags` is None, it depends on more than changes show and is not kept. If it is `absent`, the value represents
    something that was not found.
    """

    value: Any
    tags: frozenset[str] | None
    size: int
    absent: bool = False


class Tag:
    """A tag from one change to the next, with the keys of the entries that depend on it.

    When it has changed, `changed` is the kind of the change, and another object takes its place.
    """

    __slots__ = ("changed", "keys", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: set[Hashable] = set()
        self.changed: str | None = None


class Kept(NamedTuple):
    """An entry in memory."""

    entry: Entry
    tags: frozenset[Tag]

    def changed(self) -> str | None:
        """Return the kind of a change that made it stale."""
        return next((tag.changed for tag in self.tags if tag.changed), None)


class Entries:
    """Entries of up to `size` bytes in total; the least recently used one is evicted first."""

    def __init__(self, size: int, registry: Registry) -> None:
        self.answers: LRUCache[Hashable, Kept] = LRUCache(size - size // ABSENT_PART, size_of)
        self.absences: LRUCache[Hashable, Kept] = LRUCache(size // ABSENT_PART, size_of)
        # tags on which entries depend: by name, and those that have changed
        self.tags: dict[str, Tag] = {}
        self.stale: set[Tag] = set()
        self.drops = Counter(
            "agent_board_memory_drops_total",
            "Entries evicted because of a change, by kind of change.",
            ("kind",),
            registry=registry,
        )
        for kind in DROPS:
            self.drops.labels(kind)
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
        if kept is None or not self.stale.isdisjoint(kept.tags):
            return None
        return kept.entry

    def keep(self, key: Hashable, entry: Entry) -> None:
        """Keep an entry, and make room for it. One that is larger than the memory counts as evicted at once."""
        self.evict_stale()
        self.remove(key)
        kept = Kept(entry, frozenset(self.tag(name) for name in entry.tags or ()))
        part = self.absences if entry.absent else self.answers
        if size_of(kept) > part.maxsize:
            self.evictions.inc()
            return
        while part.currsize + size_of(kept) > part.maxsize:
            self.evict_oldest(part)
        part[key] = kept
        for tag in kept.tags:
            self.tags[tag.name] = tag
            tag.keys.add(key)

    def tag(self, name: str) -> Tag:
        return self.tags.get(name) or Tag(name)

    def evict_oldest(self, part: LRUCache[Hashable, Kept]) -> None:
        key, kept = part.popitem()
        # a flood of guesses does not mean that the memory is too small, and neither does a change
        if not kept.entry.absent and not kept.changed():
            self.evictions.inc()
        self.untag(key, kept)

    def remove(self, key: Hashable) -> None:
        kept = self.answers.pop(key, None) or self.absences.pop(key, None)
        if kept is not None:
            self.untag(key, kept)

    def untag(self, key: Hashable, kept: Kept) -> None:
        """Note that the entry under a key is gone."""
        if kind := kept.changed():
            self.drops.labels(kind).inc()
        for tag in kept.tags:
            tag.keys.discard(key)
            if tag.keys:
                continue
            if tag.changed:
                self.stale.discard(tag)
            else:
                self.tags.pop(tag.name, None)

    def outdate(self, kind: str, names: Iterable[str]) -> None:
        """Make the entries stale that depend on one of these tags, because of a change of this kind."""
        for name in names:
            tag = self.tags.pop(name, None)
            if tag is not None:
                tag.changed = kind
                self.stale.add(tag)

    def evict_stale(self) -> None:
        """Evict up to 50 stale entries."""
        for _ in range(STALE_AT_ONCE):
            if not self.stale:
                return
            tag = self.stale.pop()
            key = tag.keys.pop()
            if tag.keys:
                self.stale.add(tag)
            self.remove(key)

    def clear(self) -> None:
        """Evict everything."""
        self.answers.clear()
        self.absences.clear()
        self.tags.clear()
        self.stale.clear()

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

"""A bounded mapping, for values that are looked up often and never change."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(Generic[K, V]):
    """A mapping of at most `size` entries; a new one evicts the oldest."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.entries: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        return self.entries.get(key)

    def put(self, key: K, value: V) -> None:
        self.entries.pop(key, None)
        if len(self.entries) >= self.size:
            del self.entries[next(iter(self.entries))]
        self.entries[key] = value

    def drop(self, key: K) -> None:
        self.entries.pop(key, None)

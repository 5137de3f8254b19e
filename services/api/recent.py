"""A bounded memo: of what is looked up often and never changes."""

from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping of so many entries; the oldest makes room for a new one."""

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

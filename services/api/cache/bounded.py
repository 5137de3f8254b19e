"""A bounded mapping, for values that are looked up often and never change."""

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedDict(Generic[K, V]):
    """A mapping of at most `size` entries; a new one evicts the oldest."""

    def __init__(self, size: int) -> None:
        self.size = size
        # finding the oldest entry of a dict takes longer the more have been removed before it
        self.entries: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        return self.entries.get(key)

    def put(self, key: K, value: V) -> None:
        self.entries.pop(key, None)
        if len(self.entries) >= self.size:
            self.entries.popitem(last=False)
        self.entries[key] = value

    def drop(self, key: K) -> None:
        self.entries.pop(key, None)

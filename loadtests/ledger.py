"""The record of what the board has acknowledged, kept while the load runs and checked after it (see verification)."""

import hashlib
from collections import defaultdict
from typing import Any, Final

Entry = list[Any]
# kind of entry -> its members, in this order
KINDS: Final = {
    "post": ("id", "author", "digest", "parent"),
    "unknown": ("author", "digest"),
    "late": ("seconds", "segment"),
    "wrong": ("operation", "sentence"),
}


class Ledger:
    """The entries of one Locust process by kind. A worker sends them to its master with its statistics."""

    def __init__(self) -> None:
        self.entries: defaultdict[str, list[Entry]] = defaultdict(list)

    def add(self, kind: str, *entry: Any) -> None:
        """Record an entry with the members that KINDS states."""
        assert len(entry) == len(KINDS[kind]), kind
        self.entries[kind].append(list(entry))

    def drain(self) -> dict[str, list[Entry]]:
        """Return all entries, and start again."""
        entries, self.entries = dict(self.entries), defaultdict(list)
        return entries

    def extend(self, entries: dict[str, list[Entry]]) -> None:
        """Add the entries of another process."""
        for kind, several in entries.items():
            self.entries[kind].extend(several)

    def __getitem__(self, kind: str) -> list[Entry]:
        return self.entries[kind]


def digest(text: str) -> str:
    """Return a short digest of a body, by which it is found again."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]

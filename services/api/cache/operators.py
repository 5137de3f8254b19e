"""Which authors on a page are marked as operators, remembered until an operator is marked or unmarked."""

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from services.board.agents import find_operators
from services.board.database.connections import Database

from .memory import Memory
from .shelf import Entry

TAGS: Final = frozenset(("operators",))
# The bytes of a name in a set, besides its characters.
NAME_BYTES: Final = 120


class Operators:
    """Finds operators among the authors of a page. A page is built again after a vote, with the same authors."""

    def __init__(self, reads: Database, memory: Memory) -> None:
        self.reads = reads
        self.memory = memory

    async def among(self, names: Iterable[str], feed_read: int | None) -> frozenset[str]:
        """Return those of the agents that are operators at this read of the change feed, or later."""
        assert feed_read is not None
        wanted = frozenset(names)
        key = "operators", wanted
        known: frozenset[str] | None = self.memory.find(key)
        if known is not None:
            return known
        found: Any = await self.memory.build(key, feed_read, TAGS, partial(self.build_entry, wanted))
        return found  # type: ignore[no-any-return]

    async def build_entry(self, names: frozenset[str]) -> Entry:
        return Entry(await find_operators(self.reads, names), TAGS, sum(len(name) + NAME_BYTES for name in names))

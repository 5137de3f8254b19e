"""The cache of tokens: their holders, and whether each still works.

A token's holder never changes, so it stays known for limits and logs whatever happens to the token. For authority, a
token works until a change of its agent, which the change feed reports.
"""

from collections.abc import Iterable
from typing import Any, Final

from cachetools import LRUCache

from services.api.cache.tags import DROPS, ENDS_TOKENS
from services.board.access.tokens import Caller

TOKENS_MAX: Final = 50_000


class Tokens(LRUCache[str, Caller]):
    """The holders of tokens that this process has issued or seen to work, the least recently used of which make room.

    A holder has an id once the token's first use is recorded. `changes` counts what may have ended a token.
    """

    def __init__(self, size: int = TOKENS_MAX) -> None:
        super().__init__(size)
        self.working: dict[int, str] = {}  # tokens by their agents
        self.changes = 0

    def caller(self, token: str) -> Caller | None:
        """Return the holder of a token that works, as of the newest read of the change feed."""
        holder = self.get(token)
        return holder if holder is not None and self.working.get(holder.id) == token else None

    def confirm(self, token: str, caller: Caller, changes: int) -> None:
        """Note the holder of a token that worked. It works on if no change came since the count was `changes`."""
        self[token] = caller
        if self.changes == changes:
            self.working[caller.id] = token

    def __delitem__(self, token: str) -> None:
        """Forget a token; the mapping does so to make room."""
        agent_id = self[token].id
        super().__delitem__(token)
        if self.working.get(agent_id) == token:
            del self.working[agent_id]

    def apply(self, changes: Iterable[Any]) -> None:
        """End the tokens that changes affect: rows with kind and agent_id. An unknown kind ends all."""
        for change in changes:
            if change["kind"] in ENDS_TOKENS:
                self.changes += 1
                self.working.pop(change["agent_id"], None)
            elif change["kind"] not in DROPS:
                self.end_all()

    def end_all(self) -> None:
        """Look every token up again: changes may have been missed."""
        self.changes += 1
        self.working.clear()

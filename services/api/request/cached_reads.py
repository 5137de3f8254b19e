"""Public reads: answered from memory, or built once for all clients that ask for the same.

The key of an answer is the meaning of the call. The order and the spelling of parameters, unknown parameters and
defaults that are written out do not change it.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any

from services.api.cache.cached_answer import Absence, CachedAnswer
from services.api.cache.change_feed import ChangeFeed
from services.api.cache.entries import Entry
from services.api.cache.memory import Memory
from services.api.cache.tags import tags_of, tags_of_absence
from services.api.handlers.call import Call
from services.api.handlers.resources import Resources
from services.api.handlers.row import Handler
from services.api.http.responses import Answer, success
from services.board.access.tokens import Caller
from services.board.errors import NotFound
from services.contract.operation import Operation


@dataclass(eq=False)
class CachedReads:
    """Answers public reads with the state at the moment of their arrival, or a later one."""

    resources: Resources
    feed: ChangeFeed
    memory: Memory

    async def read(self, headers: Any, call: Call, handler: Handler) -> Answer:
        """Answer a read from memory, or run its handler. Only fixed documents depend on no change and skip the feed.

        `headers` are those of the request. Raises the errors of the handler.
        """
        if call.feed_read is None:
            call.feed_read = 0 if call.operation.fixed else await self.feed.catch_up()
        key = own_key(call.operation, call.meaning.key, call.caller)
        cached: CachedAnswer | Absence | None = self.memory.find(key)
        if cached is None:
            expected = tags_of(call.operation, call.path, call.query)
            build = partial(self.build_entry, key, expected, call, handler)
            cached = await self.memory.build(key, call.feed_read, expected, build)
        return cached.answer_for(headers)

    async def build_entry(self, key: Hashable, expected: frozenset[str] | None, call: Call, handler: Handler) -> Entry:
        size = len(repr(key))
        try:
            result = await handler(self.resources, call)
        except NotFound as error:
            return Entry(Absence(error.hint, error.thread), tags_of_absence(call.operation), size, absent=True)
        answer = success(call.operation, result, call.query, self.resources.links)
        cached = CachedAnswer(answer)
        tags = call.tags if expected is None else expected
        if call.fleeting:
            tags = None
        return Entry(cached, tags, size + cached.size)


def own_key(operation: Operation, key: Hashable, caller: Caller | None) -> Hashable:
    """Return the key of a caller's own answer, if the operation leaves out what belongs to its caller."""
    return (caller.id, key) if operation.personal and caller is not None else key

"""Post slots: at most two posts of one agent are in flight in a process, and its other posts wait in line.

So an agent that floods delays its own posts and no one else's.
"""

import asyncio
from collections import deque
from typing import Final

from services.board.errors import Unavailable

SLOTS: Final = 2
PATIENCE_SECONDS: Final = 5.0
REPEAT_PATIENCE_SECONDS: Final = 2.0


class Line:
    """The posts of one agent: the keys of those in flight, and those that wait, with their keys."""

    __slots__ = ("in_flight", "waiting")

    def __init__(self) -> None:
        self.in_flight: list[str | None] = []
        self.waiting: deque[tuple[asyncio.Future[None], str | None]] = deque()


class PostSlots:
    """Gives slots to posts. At most `room` posts of all agents may wait; further ones are refused."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.waiting = 0
        self.lines: dict[bytes, Line] = {}

    async def take(self, agent: bytes, key: str | None) -> None:
        """Wait for a slot, to be freed by `free`. `key` is the Idempotency-Key of the call.

        Raises Unavailable when too many posts wait, and after 5 s, or 2 s for the repeat of a call that is in flight.
        """
        line = self.lines.get(agent)
        if line is None:
            line = self.lines[agent] = Line()
        if len(line.in_flight) < SLOTS:
            line.in_flight.append(key)
        else:
            await self.wait(agent, line, key)

    def free(self, agent: bytes, key: str | None) -> None:
        """Hand a slot on to the agent's next waiting post."""
        line = self.lines[agent]
        line.in_flight.remove(key)
        while line.waiting:
            slot, next_key = line.waiting.popleft()
            if not slot.done():
                line.in_flight.append(next_key)
                slot.set_result(None)
                return
        if not line.in_flight:
            del self.lines[agent]

    async def wait(self, agent: bytes, line: Line, key: str | None) -> None:
        if self.waiting >= self.room:
            raise Unavailable("Too many writes are waiting; nothing was changed.")
        loop = asyncio.get_running_loop()
        slot: asyncio.Future[None] = loop.create_future()
        line.waiting.append((slot, key))
        patience = REPEAT_PATIENCE_SECONDS if key and key in line.in_flight else PATIENCE_SECONDS
        timer = loop.call_later(patience, give_up, slot)
        self.waiting += 1
        try:
            await slot
        except asyncio.CancelledError:
            # the slot may have been handed over just before the cancellation
            if not slot.cancelled() and slot.exception() is None:
                self.free(agent, key)
            raise
        finally:
            self.waiting -= 1
            timer.cancel()


def give_up(slot: "asyncio.Future[None]") -> None:
    if not slot.done():
        slot.set_exception(Unavailable())

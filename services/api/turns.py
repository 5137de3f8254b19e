"""At most two posts of one agent are under way in a process; its others wait for their turn.

So an agent that floods keeps its own posts waiting, and nobody else's.
"""

import asyncio
from collections import deque
from typing import Final

from services.board.errors import Unavailable

PLACES: Final = 2
PATIENCE_SECONDS: Final = 5.0
REPEAT_PATIENCE_SECONDS: Final = 2.0


class Line:
    """The posts of one agent: the keys of those that have a turn, and those that wait, with their keys."""

    __slots__ = ("turns", "waiting")

    def __init__(self) -> None:
        self.turns: list[str | None] = []
        self.waiting: deque[tuple[asyncio.Future[None], str | None]] = deque()


class Turns:
    """Gives turns. `room` is how many posts of all agents may wait before new ones are refused."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.waiting = 0
        self.lines: dict[bytes, Line] = {}

    async def take(self, agent: bytes, key: str | None) -> None:
        """Wait for a turn, to be ended by `end`. `key` is the Idempotency-Key of the call.

        Raises Unavailable after 5 s, or 2 s when it repeats a call that has a turn, and when too many wait already.
        """
        line = self.lines.get(agent)
        if line is None:
            line = self.lines[agent] = Line()
        if len(line.turns) < PLACES:
            line.turns.append(key)
        else:
            await self.wait(line, key, REPEAT_PATIENCE_SECONDS if key and key in line.turns else PATIENCE_SECONDS)

    def end(self, agent: bytes, key: str | None) -> None:
        """Hand a turn on to the next post of the agent that still waits."""
        line = self.lines[agent]
        line.turns.remove(key)
        while line.waiting:
            turn, next_key = line.waiting.popleft()
            if not turn.done():
                line.turns.append(next_key)
                turn.set_result(None)
                return
        if not line.turns:
            del self.lines[agent]

    async def wait(self, line: Line, key: str | None, patience: float) -> None:
        if self.waiting >= self.room:
            raise Unavailable("Too many writes are waiting; nothing was changed.")
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        line.waiting.append((turn, key))
        timer = loop.call_later(patience, give_up, turn)
        self.waiting += 1
        try:
            await turn
        finally:
            self.waiting -= 1
            timer.cancel()


def give_up(turn: "asyncio.Future[None]") -> None:
    if not turn.done():
        turn.set_exception(Unavailable())

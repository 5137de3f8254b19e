"""Lanes: the rarer writes wait in lines of bounded length, one lane for each kind, so that none holds up another.

Posts and votes are committed in batches and need no lane (commits/committer.py).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final

from services.board.errors import Unavailable
from services.contract.effects import INBOX_ACK
from services.contract.limits import ACCOUNT, REGISTRATIONS
from services.contract.operations import Operation
from services.process.metrics import Registry

from .call import Call

ACKS: Final = "acks"
WIDTHS: Final[Mapping[str, int]] = {ACCOUNT.name: 1, ACKS: 4, REGISTRATIONS.name: 1}
"""How many calls of a lane write at the same time. Under the head's lock, others would only wait in PostgreSQL; an
acknowledgement does without it, and waits for the disk together with others."""
ROOM: Final = 64
"""How many calls may wait in one lane: fewer than it completes in a second."""
PATIENCE_SECONDS = 2.0
CONNECTIONS: Final = sum(WIDTHS.values())
"""How many connections all lanes can use."""
NO_LANE: Final = nullcontext()

Turn = asyncio.Future[None]


class Lane:
    """Lets `width` calls go on at a time. Callers take turns, and when there is no room, the longest line is cut."""

    def __init__(self, width: int) -> None:
        self.free = width
        # the waiting turns of each caller; the caller that had a turn last stands last
        self.lines: dict[Hashable, deque[Turn]] = {}
        self.refused = 0

    @property
    def waiting(self) -> int:
        """How many calls wait."""
        return sum(len(line) for line in self.lines.values())

    @asynccontextmanager
    async def turn(self, caller: Hashable) -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end. Raises Unavailable after 2 s, and when there is no room."""
        if self.free:
            self.free -= 1
        else:
            await self.wait(caller)
        try:
            yield
        finally:
            self.hand_on()

    async def wait(self, caller: Hashable) -> None:
        loop = asyncio.get_running_loop()
        turn: Turn = loop.create_future()
        line = self.lines.setdefault(caller, deque())
        line.append(turn)
        if self.waiting > ROOM:
            self.refuse(max(self.lines.values(), key=len).pop())
        timer = loop.call_later(PATIENCE_SECONDS, self.refuse, turn)
        try:
            await turn
        except asyncio.CancelledError:
            # the turn may have been handed over just before the cancellation
            if not turn.cancelled() and turn.exception() is None:
                self.hand_on()
            raise
        finally:
            timer.cancel()
            self.leave(caller, turn)

    def refuse(self, turn: Turn) -> None:
        """End the wait of a call."""
        if not turn.done():
            self.refused += 1
            turn.set_exception(Unavailable("Too many writes are waiting; nothing was changed."))

    def leave(self, caller: Hashable, turn: Turn) -> None:
        line = self.lines.get(caller, deque())
        if turn in line:
            line.remove(turn)
        if not line:
            self.lines.pop(caller, None)

    def hand_on(self) -> None:
        """Give a turn to the first call of the caller that has waited longest for one."""
        for caller, line in list(self.lines.items()):
            while line:
                turn = line.popleft()
                if not turn.done():
                    self.lines[caller] = self.lines.pop(caller)
                    turn.set_result(None)
                    return
        self.free += 1


class Lanes:
    """The lanes by kind of write: the name of its limit, or acks."""

    def __init__(self, registry: Registry) -> None:
        self.lanes = {name: Lane(width) for name, width in WIDTHS.items()}
        registry.reading(
            "agent_board_lane_calls_waiting",
            "Writes other than posts and votes that wait for their turn, by lane.",
            lambda: {name: lane.waiting for name, lane in self.lanes.items()},
            "lane",
        )
        registry.reading(
            "agent_board_lane_calls_refused_total",
            "Writes that were answered 503 because too many waited in their lane or they waited too long, by lane.",
            lambda: {name: lane.refused for name, lane in self.lanes.items()},
            "lane",
        )

    def turn(self, call: Call) -> AbstractAsyncContextManager[None]:
        """Wait until a call may write, on entry. Raises Unavailable."""
        lane, limit = self.lanes.get(kind_of(call.operation)), call.operation.limit
        if lane is None:
            return NO_LANE
        return lane.turn(call.address if limit is not None and limit.key == "address" else call.caller.id)


def kind_of(operation: Operation) -> str:
    """Return the name of the lane of a write; it may not exist."""
    if operation.effect is INBOX_ACK:
        return ACKS
    return "" if operation.limit is None else operation.limit.name

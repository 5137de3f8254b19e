"""Lanes: the rarer writes wait in lines of bounded length, one lane for each kind, so that none holds up another.

Posts and votes are committed in batches and need no lane (commits/committer.py).
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Final

from services.api.handlers.call import Call
from services.board.errors import Unavailable
from services.board.posts.commits.progress import Progress
from services.contract.effects import INBOX_ACK
from services.contract.limits import ACCOUNT, REGISTRATIONS
from services.contract.operation import Operation
from services.process.metrics import Reading, Registry

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


class Lane:
    """Lets `width` calls continue at a time, in the order in which they came."""

    def __init__(self, width: int) -> None:
        self.free = asyncio.Semaphore(width)
        self.waiting = 0
        self.refused = 0
        self.progress = Progress()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and give it back at the end. Raises Unavailable after 2 s, and when there is no room."""
        with self.progress.write():
            try:
                await self.wait()
            except TimeoutError:
                self.refused += 1
                raise Unavailable("Too many writes are waiting; nothing was changed.") from None
            try:
                yield
            finally:
                self.free.release()

    async def wait(self) -> None:
        """Raises TimeoutError."""
        if self.waiting >= ROOM:
            raise TimeoutError
        self.waiting += 1
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self.free.acquire()
        finally:
            self.waiting -= 1


class Lanes:
    """The lanes by kind of write: the name of its limit, or acks."""

    def __init__(self, registry: Registry) -> None:
        self.lanes = {name: Lane(width) for name, width in WIDTHS.items()}
        Reading(
            "agent_board_lane_calls_waiting",
            "Writes other than posts and votes that wait for their turn, by lane.",
            lambda: {name: lane.waiting for name, lane in self.lanes.items()},
            "lane",
            registry=registry,
        )
        Reading(
            "agent_board_lane_calls_refused_total",
            "Writes that were answered 503 because too many waited in their lane or they waited too long, by lane.",
            lambda: {name: lane.refused for name, lane in self.lanes.items()},
            "lane",
            registry=registry,
        )

    def unfinished_seconds(self) -> dict[str, float]:
        """Return for how long writes have waited although none of their lane was made, by lane."""
        return {name: lane.progress.seconds() for name, lane in self.lanes.items()}

    def turn(self, call: Call) -> AbstractAsyncContextManager[None]:
        """Wait until a call may write, on entry. Raises Unavailable."""
        lane = self.lanes.get(kind_of(call.operation))
        return NO_LANE if lane is None else lane.turn()


def kind_of(operation: Operation) -> str:
    """Return the name of the lane of a write; it may not exist."""
    if operation.effect is INBOX_ACK:
        return ACKS
    return "" if operation.limit is None else operation.limit.name

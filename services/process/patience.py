"""A deadline for a reply from another process, which a late event loop does not pass.

A loop that was busy runs its expired timers before it reads its sockets. With an ordinary timeout, a reply that has
long been there would count as missing. When a whole machine pauses, the other process may continue a little later than
this one, so a late loop also gives it more time.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Final

PASSES: Final = 3
"""How often the loop may read its sockets after the deadline: a reply takes two passes to reach its reader."""


class Overdue:
    """Calls `then` when a reply has not arrived within `seconds` (> 0), unless it is cancelled before.

    A loop that is late then waits for as long again as it was late, but at most for `seconds`.
    """

    def __init__(self, seconds: float, then: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._then = then
        self._passes = PASSES
        self._seconds = seconds
        self._handle: asyncio.Handle = self._loop.call_later(seconds, self._catch_up)
        self._due = self._loop.time() + seconds

    def cancel(self) -> None:
        self._handle.cancel()

    def _catch_up(self) -> None:
        late = min(max(0.0, self._loop.time() - self._due), self._seconds)
        self._handle = self._loop.call_later(late, self._expire)

    def _expire(self) -> None:
        self._passes -= 1
        if self._passes >= 0:
            self._handle = self._loop.call_soon(self._expire)
        else:
            self._then()


class reply_within:  # noqa: N801 - it is used like asyncio.timeout
    """Raise TimeoutError if a reply arrives later than `seconds` (> 0) after the block began, or not at all."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._deadline = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        await self._deadline.__aenter__()
        loop = asyncio.get_running_loop()
        self._overdue = Overdue(self._seconds, lambda: self._deadline.reschedule(loop.time()))

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._overdue.cancel()
        await self._deadline.__aexit__(kind, error, trace)

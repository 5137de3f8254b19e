"""A deadline for a reply from another process, which a late event loop does not pass.

A loop that was busy runs its expired timers before it reads its sockets. With an ordinary timeout, a reply that has
long been there would count as missing.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

PASSES: Final = 3
"""How often the loop may read its sockets after the deadline: a reply takes two passes to reach its reader."""


@asynccontextmanager
async def reply_within(seconds: float) -> AsyncIterator[None]:
    """Raise TimeoutError if a reply arrives later than `seconds` (> 0) after the block began, or not at all."""
    loop = asyncio.get_running_loop()
    deadline = asyncio.timeout(None)
    passes = PASSES
    handle: asyncio.Handle

    def expire() -> None:
        nonlocal passes, handle
        passes -= 1
        if passes >= 0:
            handle = loop.call_soon(expire)
        else:
            deadline.reschedule(loop.time())

    handle = loop.call_later(seconds, expire)
    try:
        async with deadline:
            yield
    finally:
        handle.cancel()

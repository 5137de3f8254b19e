"""Acts of a fault that another fault, such as a full disk, can keep from success."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

RETRY_SECONDS, GIVE_UP_SECONDS = 0.3, 60.0


async def retried(act: Callable[[], Awaitable[T]], *failures: type[Exception]) -> T:
    """Return the result of an act. Repeat it after these failures for a minute, then raise one."""
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while True:
        try:
            return await act()
        except failures:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(RETRY_SECONDS)

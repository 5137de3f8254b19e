"""How long the process waits for clients: less once it stops."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Final

from sanic.http.constants import Stage

STOP_SECONDS: Final = 2.0
"""How long a stopping process waits for a client, instead of the usual seconds."""


class Patience:
    """Limits the waits for clients."""

    def __init__(self) -> None:
        self.ends = False
        self.waits: set[asyncio.Timeout] = set()

    @asynccontextmanager
    async def wait(self, seconds: float) -> AsyncIterator[None]:
        """Wait for a client for at most `seconds`, or 2 s in a process that stops. Raises TimeoutError."""
        async with asyncio.timeout(min(seconds, STOP_SECONDS) if self.ends else seconds) as limit:
            self.waits.add(limit)
            try:
                yield
            finally:
                self.waits.discard(limit)

    def end(self) -> None:
        """End all present waits in 2 s, because the process stops."""
        self.ends = True
        soon = asyncio.get_running_loop().time() + STOP_SECONDS
        for limit in self.waits:
            limit.reschedule(min(limit.when() or soon, soon))


async def end_slow_heads(connections: Callable[[], Iterable[Any]], seconds: float) -> None:
    """Close connections whose next head takes longer than `seconds`, even if its bytes keep coming.

    Sanic's own limit is for clients that are silent. Whatever has answered a request notes it in `conn_info.ctx`.
    """
    begun: dict[tuple[Any, object], float] = {}
    while True:
        await asyncio.sleep(seconds / 4)
        heads = [
            (connection, getattr(connection.ctx, "newest", None))
            for connection in connections()
            if connection.http is not None and connection.http.stage is Stage.REQUEST
        ]
        begun = {head: begun.get(head, monotonic()) for head in heads}
        for (connection, _), since in begun.items():
            if monotonic() - since > seconds:
                connection.close()

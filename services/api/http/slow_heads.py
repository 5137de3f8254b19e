"""Closes connections whose next head takes too long, even if its bytes keep coming.

Sanic's own limit is for clients that are silent. Every connection that is open is looked at a few times within the
limit, so no head takes longer than five quarters of it.
"""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Final

from sanic.http.constants import Stage

from services.process.http_server import abort
from services.process.metrics import Registry

LOOKS: Final = 4
"""How many times the connections are looked at within the limit."""


@dataclass(eq=False)
class SlowHeads:
    """Watches the connections of one server.

    `connections` returns those that are open (Sanic's). A head may take `seconds`, counted from the first look that
    finds it begun. `conn_info.ctx.head_since` is that moment of the monotonic clock, or None.
    """

    connections: Callable[[], Iterable[Any]]
    seconds: float
    registry: Registry

    def __post_init__(self) -> None:
        self.registry.background_errors.labels("slow-heads")

    async def watch(self) -> None:
        """Look at all connections again and again, until cancelled."""
        while True:
            await asyncio.sleep(self.seconds / LOOKS)
            for connection in self.connections():
                try:
                    self.look_at(connection, monotonic())
                except Exception as error:  # noqa: BLE001 - the fault of one connection must not end the others' limit
                    self.registry.record_error("slow-heads", error)

    def look_at(self, connection: Any, now: float) -> None:
        """Close a connection if its head has taken too long."""
        if connection.http is None or connection.http.stage is not Stage.REQUEST:
            connection.ctx.head_since = None
            return
        since = getattr(connection.ctx, "head_since", None)
        if since is None:
            connection.ctx.head_since = now
        elif now - since > self.seconds:
            abort(connection)

"""The connections of the MCP server over HTTP, bounded whatever their clients do or leave undone.

uvicorn waits without a limit for the first head, for the rest of a head or a body, and for a client that does not read.
Here each of these waits has a deadline. Their number and the bytes that are not read yet are bounded, too: beyond the
bound, the client that has let the server wait longest is cut off. So careless clients never keep out others.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

CONNECTIONS_MAX: Final = 500
UNREAD_BYTES_MAX: Final = 16 << 20
HEAD_SECONDS: Final = 10.0
# Between two requests.
IDLE_SECONDS: Final = 75

Peer = tuple[str, int]


@dataclass(eq=False)
class Connection:
    """A connection. `task` answers its request; `idle` means that nothing has arrived since the last answer."""

    peer: Peer
    transport: asyncio.Transport
    task: asyncio.Task[Any] | None = None
    deadline: asyncio.TimerHandle | None = None
    idle: bool = False
    unread: int = 0


class Connections:
    """All open connections, and those that wait for their clients: the longest wait is the first."""

    def __init__(self) -> None:
        self.open: dict[Peer, Connection] = {}
        self.waiting: dict[Connection, None] = {}

    def add(self, connection: Connection) -> None:
        self.open[connection.peer] = connection
        self.await_head(connection)

    def await_head(self, connection: Connection) -> None:
        """Wait for a head that has begun, or for the first one."""
        self.wait(connection)
        self.limit(connection, HEAD_SECONDS)

    def await_next(self, connection: Connection) -> None:
        """Wait for the first byte of the next head."""
        self.wait(connection)
        connection.idle = True
        self.limit(connection, IDLE_SECONDS)

    def limit(self, connection: Connection, seconds: float) -> None:
        connection.deadline = asyncio.get_running_loop().call_later(seconds, self.cut, connection)

    def wait(self, connection: Connection, unread: int = 0) -> None:
        """Count a connection among those that wait for their clients, with `unread` bytes that its client must read.

        Cut off the longest waits while there are too many connections or unread bytes.
        """
        self.end_wait(connection)
        if connection.peer not in self.open:
            return
        connection.unread = unread
        self.waiting[connection] = None
        while self.waiting and (len(self.open) > CONNECTIONS_MAX or self.unread > UNREAD_BYTES_MAX):
            self.cut(next(iter(self.waiting)))

    def end_wait(self, connection: Connection) -> None:
        self.waiting.pop(connection, None)
        connection.idle, connection.unread = False, 0
        if connection.deadline is not None:
            connection.deadline.cancel()

    def cut(self, connection: Connection) -> None:
        """Close a connection and forget what its client has not read."""
        self.remove(connection)
        connection.transport.abort()

    def remove(self, connection: Connection) -> None:
        self.end_wait(connection)
        self.open.pop(connection.peer, None)

    @property
    def unread(self) -> int:
        return sum(connection.unread for connection in self.waiting)


def protocol_for(connections: Connections) -> type[asyncio.Protocol]:
    """Return uvicorn's protocol, which also notes what happens to its connection."""

    class NotedProtocol(H11Protocol):
        connection: Connection | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if self.client is None:  # it was reset before it was accepted
                transport.abort()
                return
            # Then uvicorn's `send` waits until the client has everything that was sent before.
            transport.set_write_buffer_limits(high=0)
            self.connection = Connection(self.client, transport)
            connections.add(self.connection)

        def data_received(self, data: bytes) -> None:
            if self.connection is not None and self.connection.idle:
                connections.await_head(self.connection)
            super().data_received(data)

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            if self.connection is not None:
                connections.remove(self.connection)
                if self.connection.task is not None:
                    self.connection.task.cancel()

    return NotedProtocol

"""How a process serves HTTP with Sanic: one socket, and a stop that loses no request that has arrived."""

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from .lifecycle import StartError

BACKLOG: Final = 1024
IDLE_GRACE_SECONDS: Final = 1.0
POLL_SECONDS: Final = 0.05
CALM_POLLS: Final = 2
"""How often nothing may be in flight until that is believed: an answer is written after its call has ended."""
SEND_BUFFER_BYTES: Final = 2**17
"""How much of what was written the kernel holds for one connection. It takes as much again for its own records."""


class HttpServer:
    """Serves one Sanic application on one socket. The application notes the connection of each request."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self.server: Any = None
        self.connections: WeakSet[Any] = WeakSet()
        self.quiet_since = time.monotonic()

    async def listen(self, host: str, port: int, reuse_port: bool, **options: Any) -> None:
        """Take the port; connections wait until `serve` is called. Raises StartError."""
        self.server = await self.application.create_server(
            sock=listening_socket(host, port, reuse_port),
            backlog=BACKLOG,
            asyncio_server_kwargs={"start_serving": False},
            **options,
        )
        await self.server.startup()

    async def serve(self) -> None:
        """Accept connections from now on."""
        await self.server.start_serving()

    def note(self, transport: Any) -> None:
        """Note the connection over which a request has come; None if it is closed already."""
        if transport is not None:
            self.connections.add(transport)

    def unread_bytes(self) -> int:
        """Return how many bytes of answers wait for clients to read them."""
        return sum(each.get_write_buffer_size() for each in self.connections)

    def quiet(self) -> None:
        """Let every answer to a request that arrives from now on close its connection."""
        self.application.config.KEEP_ALIVE = False
        self.quiet_since = time.monotonic()

    def stop_accepting(self) -> None:
        """Close the listening socket."""
        self.server.close()

    async def finish(self, is_busy: Callable[[], bool]) -> None:
        """Return when `is_busy` returns False and every answer was read; then close the connections.

        A client that got an answer just before may already have sent its next request; closing would lose it.
        """
        calm = 0
        while time.monotonic() < self.quiet_since + IDLE_GRACE_SECONDS or calm < CALM_POLLS:
            await asyncio.sleep(POLL_SECONDS)
            calm = 0 if is_busy() or self.unread_bytes() else calm + 1
        for connection in self.connections:
            connection.close()

    def abort(self) -> None:
        """Cut off the connections that are left."""
        for connection in self.connections:
            connection.abort()


def listening_socket(host: str, port: int, reuse_port: bool) -> socket.socket:
    """Return a socket bound to this address. Raises StartError."""
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it. Otherwise the kernel keeps up to 4 MiB for each client that does not read.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    if reuse_port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise StartError(f"Cannot listen on {host}:{port}: {error.strerror}.") from None
    listener.setblocking(False)
    return listener

"""A connection of the API: its input, and its waits for the client.

It uses private attributes of Sanic's protocol, so the version is pinned (tests/api/test_wire.py).
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, Final

from sanic.exceptions import RequestCancelled
from sanic.server import HttpProtocol

from .stream import InputEnded, Stream

WRITE_SECONDS: Final = 30.0
STOP_SECONDS: Final = 2.0
"""How long a stopping process waits for a client, instead of the usual seconds."""


class Protocol(HttpProtocol):
    """A connection of the API. Its client may close its own direction and still reads the answers."""

    __slots__ = ("deadline", "input_ended", "writing")
    HTTP_CLASS = Stream

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.input_ended = False
        self.deadline: asyncio.Timeout | None = None
        self.writing = False

    def is_quiet(self) -> bool:
        """Whether the process stops: every answer closes its connection."""
        app: Any = self.app
        return bool(app.quiet)

    def is_writable(self) -> bool:
        """Whether the client is there, and has read enough of the earlier answers."""
        return self.transport is not None and not self.transport.is_closing() and self._can_write.is_set()

    def send_now(self, parts: tuple[bytes, ...]) -> None:
        """Send an answer without waiting for the client."""
        if self.transport is not None:
            self.transport.writelines(parts)
            self._time = monotonic()

    def eof_received(self) -> bool:
        """Keep the connection open for the answers to what the client has sent."""
        self.input_ended = True
        self._data_received.set()
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """End every wait for the client. A write goes on, and then its request ends."""
        self.input_ended = True
        task, self._task = self._task, None if self.writing else self._task
        super().connection_lost(exc)  # type: ignore[no-untyped-call]
        self._task = task

    def begin_write(self) -> None:
        """From now on, a hang-up does not cancel the request."""
        self.writing = True

    def end_write(self) -> None:
        """Cancel the request if its client has hung up meanwhile. Raises CancelledError."""
        self.writing = False
        if self.conn_info is not None and self.conn_info.lost:
            raise asyncio.CancelledError

    async def receive_more(self) -> None:
        """Wait until more bytes have arrived. Raises InputEnded if none will."""
        size = len(self.recv_buffer)
        if not self.input_ended:
            await super().receive_more()  # type: ignore[no-untyped-call]
        if self.input_ended and len(self.recv_buffer) == size:
            raise InputEnded

    @asynccontextmanager
    async def patience(self, seconds: float) -> AsyncIterator[None]:
        """Wait for the client this long, or 2 s in a process that stops. Raises TimeoutError."""
        try:
            async with asyncio.timeout(STOP_SECONDS if self.is_quiet() else seconds) as self.deadline:
                yield
        finally:
            self.deadline = None

    def hurry(self) -> None:
        """End the present wait for the client in 2 s, because the process stops."""
        if self.deadline is not None and not self.deadline.expired():
            soon = self.loop.time() + STOP_SECONDS
            self.deadline.reschedule(min(self.deadline.when() or soon, soon))

    async def wait_until_writable(self) -> None:
        """Wait until the client has read enough. Cut it off if it does not. Raises RequestCancelled if it is gone."""
        try:
            async with self.patience(WRITE_SECONDS):
                await self._can_write.wait()
        except TimeoutError:
            assert self.transport is not None
            self.transport.abort()
        if not self.is_writable():
            raise RequestCancelled

    async def notice_hang_up(self) -> None:
        """Raise RequestCancelled if the client has closed both directions: then it resets the connection at once.

        Over a network the reset arrives later, and the call counts as answered.
        """
        await asyncio.sleep(0)  # uvloop sends at the end of a round
        transport: Any = self.transport
        if transport.is_closing():
            raise RequestCancelled
        if transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            transport.abort()
            raise RequestCancelled

"""Sanic's HTTP/1.1 stream of a connection, with strict framing, deadlines for the client and a cache of heads.

Polling clients send identical request heads, so each is parsed only once. Everything that waits for the client has a
deadline. It uses internals of Sanic, so the version is pinned, and tests/api/test_wire.py checks the internals in use.
"""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import monotonic
from typing import Any, Final, NamedTuple, cast

from sanic.compat import Header
from sanic.exceptions import RequestCancelled
from sanic.http import Http
from sanic.request import Request
from sanic.server import HttpProtocol

from services.api.cache.bounded import BoundedDict
from services.contract import bounds

from .chunks import take_chunks
from .grammar import bad_head, check_head, long_head

HEADS_MAX: Final = 2000
HEAD_BYTES_MAX: Final = 1024
HEAD_SECONDS: Final = 10.0
BODY_SECONDS: Final = 30.0
WRITE_SECONDS: Final = 30.0
STOP_SECONDS: Final = 2.0
"""How long a stopping process waits for a client, instead of the seconds above."""

HEAD_END: Final = b"\r\n\r\n"

Heads = BoundedDict[bytes, "Head"]


class InputEnded(RequestCancelled):
    """The client has sent its last byte."""


class Head(NamedTuple):
    """The head of a request without a body, as parsed by Sanic. The headers are shared: never change them."""

    raw_url: bytes
    parsed_url: Any
    headers: Header
    version: str
    method: str
    keep_alive: bool

    @classmethod
    def of(cls, request: Request, keep_alive: bool) -> "Head":
        return cls(request.raw_url, request._parsed_url, request.headers, request.version, request.method, keep_alive)

    def again(self, protocol: Any) -> Request:
        """Return a new request for a repeated head, with only the attributes of Sanic's request that are used here."""
        request = Request.__new__(Request)
        request.raw_url, request._parsed_url, request.headers, request.version, request.method, _ = self
        request.app, request.transport = protocol.app, protocol.transport
        return request


class Stream(Http):
    """Reads requests and writes answers. The 2,000 newest heads of up to 1 KiB are parsed only once."""

    __slots__ = ()

    async def http1_request_header(self) -> None:
        """Read the head of the next request. Raises Invalid, and what Sanic raises."""
        protocol: Any = self.protocol
        heads: Heads = protocol.app.heads
        received = bytes(self.recv_buffer) if len(self.recv_buffer) <= HEAD_BYTES_MAX else b""
        known = heads.get(received)
        if known is None:
            await self.parse_head()
            if self.is_repeatable(received):
                heads.put(received, Head.of(self.request, self.keep_alive))
            return
        self.recv_buffer.clear()
        self.request = known.again(protocol)
        self.request.stream = self
        self.keep_alive = known.keep_alive
        self.request_bytes_left = self.request_bytes = 0

    async def parse_head(self) -> None:
        """Receive a head, check it and have Sanic parse it. Raises Invalid, and what Sanic raises."""
        size = await self.receive_head()
        raw = bytes(self.recv_buffer[:size])
        head = check_head(raw)
        if head != raw:
            self.recv_buffer[:size] = head
        await super().http1_request_header()  # type: ignore[no-untyped-call]
        # For a WebSocket, Sanic would switch its timeouts off.
        self.upgrade_websocket = False

    async def receive_head(self) -> int:
        """Return the size of the next head once it has arrived. Raises Invalid if it is too long, late or cut off."""
        find, protocol = self.recv_buffer.find, cast(Protocol, self.protocol)
        if (end := find(HEAD_END)) < 0:
            try:
                async with protocol.patience(HEAD_SECONDS):
                    while (end := find(HEAD_END)) < 0 and len(self.recv_buffer) < bounds.HEAD_BYTES_MAX + len(HEAD_END):
                        await protocol.receive_more()
            except TimeoutError:
                raise bad_head("The request line and headers did not arrive in time.") from None
            except InputEnded:
                raise bad_head("The request line and headers end before their empty line.") from None
        if not 0 <= end < bounds.HEAD_BYTES_MAX:
            raise long_head()
        return int(end) + len(HEAD_END)

    def is_repeatable(self, received: bytes) -> bool:
        """Whether the received bytes are exactly one complete head, without a body."""
        return received.endswith(HEAD_END) and not (self.recv_buffer or self.request_body)

    def body_patience(self) -> AbstractAsyncContextManager[None]:
        """Limit the wait for a body. Raises TimeoutError."""
        return cast(Protocol, self.protocol).patience(BODY_SECONDS)

    async def read(self) -> bytes | None:
        """Return the next bytes of the body, or None after the last. Raises MalformedChunks, InputEnded."""
        if self.expecting_continue:
            self.expecting_continue = False
            await self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        while self.request_body:
            if part := self.take():
                return part
            if self.request_body:
                await self._receive_more()
        return None

    def has_all(self) -> bool:
        """Whether a body with a known length has arrived in full, and the client does not wait to be asked for it."""
        is_long_enough = len(self.recv_buffer) >= (self.request_bytes_left or 0)
        return is_long_enough and not self.expecting_continue and not self.is_chunked()

    def is_chunked(self) -> bool:
        """Whether the body comes in chunks, as Sanic has found."""
        form: Any = self.request_body
        return bool(form == "chunked")

    def take(self) -> bytes:
        """Take what has arrived of the body out of the buffer; after the last of it, `request_body` is None.

        Raises MalformedChunks.
        """
        if self.is_chunked():
            return take_chunks(self)
        left = self.request_bytes_left or 0
        part = bytes(self.recv_buffer[:left])
        del self.recv_buffer[: len(part)]
        self.request_bytes_left = left - len(part)
        if not self.request_bytes_left:
            self.request_body = None
        return part

    async def write(self, *parts: bytes) -> None:
        """Send the parts of an answer, once the client has read enough of the earlier ones.

        Raises RequestCancelled if the client has hung up or reads nothing for 30 s.
        """
        protocol: Any = self.protocol
        if not protocol._can_write.is_set():
            await protocol.wait_until_writable()
        if protocol.transport.is_closing():
            raise RequestCancelled
        protocol.transport.writelines(parts)
        protocol._time = monotonic()
        if protocol.input_ended:
            await protocol.notice_hang_up()

    def is_cut(self) -> bool:
        """Whether nothing can be sent any more."""
        transport = self.protocol.transport
        return transport is None or transport.is_closing()

    def cut(self) -> None:
        """Close the connection at once, with what was not sent yet."""
        if self.protocol.transport is not None:
            self.protocol.transport.abort()

    def create_empty_request(self) -> None:
        """Create a placeholder for a request whose head could not be parsed.

        Sanic's own version parses the URL again; for a malformed URL it fails and leaves the client without an answer.
        """
        protocol: Any = self.protocol
        method = "HEAD" if self.recv_buffer.startswith(b"HEAD ") else "NONE"
        self.request = Request(b"*", Header({}), "1.1", method, protocol.transport, protocol.app)
        self.request.stream = self


class Protocol(HttpProtocol):
    """A connection of the API. Its client may close its own direction and still reads the answers."""

    __slots__ = ("deadline", "input_ended")
    HTTP_CLASS = Stream

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.input_ended = False
        self.deadline: asyncio.Timeout | None = None

    def eof_received(self) -> bool:
        """Keep the connection open for the answers to what the client has sent."""
        self.input_ended = True
        self._data_received.set()
        return True

    def connection_lost(self, exc: BaseException | None) -> None:
        """End every wait for the client."""
        self.input_ended = True
        super().connection_lost(exc)  # type: ignore[no-untyped-call]

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
        app: Any = self.app
        try:
            async with asyncio.timeout(STOP_SECONDS if app.quiet else seconds) as self.deadline:
                yield
        finally:
            self.deadline = None

    def hurry(self) -> None:
        """End the present wait for the client in 2 s, because the process stops."""
        if self.deadline is not None and not self.deadline.expired():
            soon = self.loop.time() + STOP_SECONDS
            self.deadline.reschedule(min(self.deadline.when() or soon, soon))

    async def wait_until_writable(self) -> None:
        """Wait until the client has read enough. Cut it off and raise RequestCancelled if it does not."""
        try:
            async with self.patience(WRITE_SECONDS):
                await self._can_write.wait()
        except TimeoutError:
            assert self.transport is not None
            self.transport.abort()
            raise RequestCancelled from None

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

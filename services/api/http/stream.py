"""Sanic's HTTP/1.1 stream of a connection, with strict framing, deadlines for the client and a cache of heads.

Polling clients send identical request heads, so each is parsed only once. Everything that waits for the client has a
deadline. It uses internals of Sanic, so the version is pinned, and tests/api/test_wire.py checks the internals in use.
"""

from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Any, Final, NamedTuple

from sanic.compat import Header
from sanic.exceptions import RequestCancelled
from sanic.http import Http
from sanic.request import Request

from services.api.cache.bounded import BoundedDict
from services.contract import bounds

from .chunks import take_chunks
from .grammar import bad_head, check_head, long_head

HEADS_MAX: Final = 2000
HEAD_BYTES_MAX: Final = 1024
HEAD_SECONDS: Final = 10.0
BODY_SECONDS: Final = 30.0

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

    __slots__ = ("feed_read", "repeated")

    async def http1_request_header(self) -> None:
        """Read the head of the next request. Raises Invalid, and what Sanic raises.

        `repeated` is the head if it was known and the connection stays open; `feed_read` the read of the change feed
        that the request has already waited for.
        """
        protocol: Any = self.protocol
        heads: Heads = protocol.app.heads
        received = bytes(self.recv_buffer) if len(self.recv_buffer) <= HEAD_BYTES_MAX else b""
        known = heads.get(received)
        self.feed_read, protocol.feed_read = protocol.feed_read if known else None, None
        self.repeated = received if known and known.keep_alive else b""
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
        protocol: Any = self.protocol
        find = self.recv_buffer.find
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
        protocol: Any = self.protocol
        patience: AbstractAsyncContextManager[None] = protocol.patience(BODY_SECONDS)
        return patience

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

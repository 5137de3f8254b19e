"""Sanic's HTTP/1.1 stream of a connection, with a memory for heads: who polls sends the same bytes again and again.

It uses internals of Sanic: the version is pinned, and tests/api/test_wire.py holds what is relied on.
"""

from time import monotonic
from typing import Any, Final, NamedTuple

from sanic.compat import Header
from sanic.exceptions import RequestCancelled
from sanic.http import Http
from sanic.request import Request
from sanic.server import HttpProtocol

from .recent import Recent

HEADS_MAX: Final = 2000
HEAD_BYTES_MAX: Final = 1024

Heads = Recent[bytes, "Head"]


class Head(NamedTuple):
    """A head as Sanic has read it, of a request without a body. Nobody changes the headers."""

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
        """A request of its own for a head that came again, with what of Sanic's request the board uses."""
        request = Request.__new__(Request)
        request.raw_url, request._parsed_url, request.headers, request.version, request.method, _ = self
        request.app, request.transport = protocol.app, protocol.transport
        return request


class Stream(Http):
    """Reads requests and writes answers. Heads of up to 1 KiB are parsed once, as long as they are among the last."""

    __slots__ = ()

    async def http1_request_header(self) -> None:
        """Read the head of the next request. Raises what Sanic raises."""
        protocol: Any = self.protocol
        heads: Heads = protocol.app.heads
        received = bytes(self.recv_buffer) if len(self.recv_buffer) <= HEAD_BYTES_MAX else b""
        known = heads.get(received)
        if known is None:
            await super().http1_request_header()  # type: ignore[no-untyped-call]
            if self.is_repeatable(received):
                heads.put(received, Head.of(self.request, self.keep_alive))
            return
        self.recv_buffer.clear()
        self.request = known.again(protocol)
        self.request.stream = self
        self.keep_alive = known.keep_alive
        self.request_bytes_left = self.request_bytes = 0

    def is_repeatable(self, received: bytes) -> bool:
        """Whether what was received is one head, whole, with nothing behind it."""
        return received.endswith(b"\r\n\r\n") and not (self.recv_buffer or self.request_body)

    async def write(self, *parts: bytes) -> None:
        """Send the parts of an answer, once the client has taken enough of what was sent before.

        Raises RequestCancelled when the connection is ending.
        """
        protocol: Any = self.protocol
        if not protocol._can_write.is_set():
            await protocol._can_write.wait()
        if protocol.transport.is_closing():
            raise RequestCancelled
        protocol.transport.writelines(parts)
        protocol._time = monotonic()

    def create_empty_request(self) -> None:
        """Make what stands for a request whose head could not be read.

        Sanic's own repeats the URL, and fails, leaving the client without an answer, when the URL is what was wrong.
        """
        protocol: Any = self.protocol
        self.request = Request(b"*", Header({}), "1.1", "NONE", protocol.transport, protocol.app)
        self.request.stream = self


class Protocol(HttpProtocol):
    """A connection of the api."""

    __slots__ = ()
    HTTP_CLASS = Stream

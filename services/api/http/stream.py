"""Sanic's HTTP/1.1 stream of a connection, with strict framing, deadlines for the client and a cache of heads.

Polling clients send identical heads, so each is parsed only once. Everything that waits for the client has a deadline.

It overrides undocumented methods of Sanic's stream, so the version is pinned (tests/api/test_wire.py).
"""

from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from httptools import parse_url
from sanic.compat import Header
from sanic.exceptions import RequestCancelled
from sanic.http import Http

from services.api.cache.bounded import BoundedDict
from services.contract import bounds

from .chunks import take_chunks
from .grammar import bad_head, check_head, long_head
from .head import HEAD_END, Head

HEADS_MAX: Final = 2000
HEAD_BYTES_MAX: Final = 1024
HEAD_SECONDS: Final = 10.0
BODY_SECONDS: Final = 30.0

CONTINUE: Final = "100-continue"
CHUNKED: Final = "chunked"

Heads = BoundedDict[bytes, Head]


class InputEnded(RequestCancelled):
    """The client has sent its last byte."""


class Stream(Http):
    """Reads requests and writes answers. The 2,000 newest heads of up to 1 KiB are parsed only once."""

    __slots__ = ()

    async def http1_request_header(self) -> None:
        """Read the head of the next request. Raises Invalid, and what Sanic raises."""
        protocol: Any = self.protocol
        heads: Heads = protocol.app.heads
        received = bytes(self.recv_buffer) if len(self.recv_buffer) <= HEAD_BYTES_MAX else b""
        head = heads.get(received)
        if head is None:
            head = await self.parse_head()
            if self.is_repeatable(received):
                heads.put(received, head)
        else:
            self.recv_buffer.clear()
        self.keep_alive = head.keep_alive
        self.request = head.request(protocol)
        self.request.stream = self

    async def parse_head(self) -> Head:
        """Receive a head, check it, parse it and remove it from the buffer. Raises Invalid."""
        size = await self.receive_head()
        received = bytes(self.recv_buffer[:size])
        check_head(received)
        head = Head.parse(received)
        self.expect_body(head.headers)
        # Before the first chunk, a line break stays in the buffer.
        del self.recv_buffer[: size - 2 if self.is_chunked() else size]
        return head

    def expect_body(self, headers: Header) -> None:
        """Note in which form a body follows, if any. Raises Invalid."""
        length = headers.get("content-length")
        if length is None and "transfer-encoding" not in headers:
            return
        if headers.get("expect", CONTINUE).lower() != CONTINUE:
            raise bad_head()
        try:
            self.request_bytes = self.request_bytes_left = int(length or 0)
        except ValueError:
            raise bad_head() from None  # thousands of digits
        self.expecting_continue = "expect" in headers
        self.request_body = True if length else CHUNKED  # type: ignore[assignment]

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
                protocol: Any = self.protocol
                await protocol.receive_more()
        return None

    def has_all(self) -> bool:
        """Whether a body with a known length has arrived in full, and the client does not wait to be asked for it."""
        is_long_enough = len(self.recv_buffer) >= (self.request_bytes_left or 0)
        return is_long_enough and not self.expecting_continue and not self.is_chunked()

    def is_chunked(self) -> bool:
        """Whether the body comes in chunks."""
        form: Any = self.request_body
        return bool(form == CHUNKED)

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
        if not protocol.is_writable():
            await protocol.wait_until_writable()
        protocol.send_now(parts)
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
        self.request = Head(b"*", parse_url(b"*"), Header({}), "1.1", method, False).request(protocol)
        self.request.stream = self

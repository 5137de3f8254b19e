"""Sends answers with Sanic's own responses, and records whether clients took them."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from email.utils import formatdate
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from sanic import HTTPResponse

# Sanic exports the type of a request's stream only here.
from sanic.http import Http

from services.contract.media_types import HTML

from .receiving import AnyRequest, decide_keep_alive, discard_rest, stream_of
from .responses import Answer, Lines
from .unsent import PART_BYTES, Unsent

# The headers that Sanic adds, as the others are spelled.
SPELLED: Final = {"content-length": "Content-Length", "connection": "Connection"}

# Text from agents must never run as a page, script or frame. Pages of other sites may read it as data.
SECURITY: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
# A page for people loads the board's own files, and its form of search leads to the board.
PAGE_SECURITY: Final = SECURITY | {
    "Content-Security-Policy": SECURITY["Content-Security-Policy"].replace(
        "default-src 'none'",
        "default-src 'none'; base-uri 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        "img-src 'self'; form-action 'self'",
    )
}


class Response(HTTPResponse):
    """The response with an answer. `sent` is called once: with whether the client took it."""

    __slots__ = ("lines", "request", "sent")

    def __init__(self, answer: Answer, request: AnyRequest, sent: Callable[[bool], None]) -> None:
        super().__init__(answer.body, answer.status)
        shared = answer.lines or lines_of(answer)
        self.lines = (*shared, (b"X-Request-Id", answer.request_id.encode()), (b"Date", date_at(int(time.time()))))
        self.request = request
        self.sent = sent

    @property
    def processed_headers(self) -> Iterator[tuple[bytes, bytes]]:
        """The headers as they are sent. Sanic would give a media type to an empty answer too."""
        return chain(self.lines, (line_of(name, value) for name, value in self.headers.items() if value != ""))

    async def send(self, data: Any = None, end_stream: bool | None = None) -> None:
        """Send the answer, then discard the rest of the request. A client that takes too long for it is cut off."""
        stream = stream_of(self.request)
        decide_keep_alive(stream, self.request.app.config.KEEP_ALIVE)
        if not self.request.head:  # it was refused, and is still in the buffer
            stream.head_only = stream.recv_buffer.startswith(b"HEAD ")
        is_taken = False
        with suppress(TimeoutError, asyncio.CancelledError):
            await self.write(stream, data, end_stream)
            is_taken = True
        self.sent(is_taken)
        # the rest of a call that was cut off may live for a while, but not its body
        self.body, self.sent = b"", ignore
        if not is_taken:
            if stream.protocol.transport is not None:
                stream.protocol.transport.abort()
            raise asyncio.CancelledError
        await discard_rest(self.request)
        if stream.recv_buffer:
            # the next request is here already: without a pause, those of one client would hold up all others
            await asyncio.sleep(0)

    async def write(self, stream: Http, data: Any, end_stream: bool | None) -> None:
        """Send the answer, and return once the socket has all of it: then nothing of it is left in this process.

        Only a client that has not read what came before makes this wait. Raises TimeoutError.
        """
        body = b"" if stream.head_only else self.body or b""
        is_short = len(body) <= PART_BYTES
        if is_short:
            await super().send(data, end_stream)
        transport = transport_of(stream)
        if is_short and not transport.get_write_buffer_size():
            return
        unsent: Unsent = self.request.app.ctx.unsent
        with unsent.hold(body):
            async with self.request.app.ctx.patience.wait(unsent.seconds(body)):
                # from now on, a write waits until the socket has everything that was written before
                transport.set_write_buffer_limits(high=0)
                if not is_short:
                    await self.write_parts(body)
                await stream.protocol.send(b"")

    async def write_parts(self, body: bytes) -> None:
        """Send a long body in parts that are not copied: each waits until the socket has the one before."""
        whole: Any = memoryview(body)
        size = len(body)
        self.headers["content-length"] = size
        for begin in range(0, size, PART_BYTES):
            end = begin + PART_BYTES
            await super().send(whole[begin:end], end_stream=end >= size)


def ignore(_: bool) -> None:
    """Do nothing with whether a client took an answer: that is recorded once."""


def transport_of(stream: Http) -> asyncio.Transport:
    """Return the transport of a connection. Raises CancelledError if it was cut off."""
    if stream.protocol.transport is None:
        raise asyncio.CancelledError
    return stream.protocol.transport


def lines_of(answer: Answer) -> Lines:
    """Return the headers of an answer that are the same for all its readers. Their values come from the board."""
    headers = (PAGE_SECURITY if answer.media_type == HTML else SECURITY) | answer.headers
    if answer.body:
        headers["Content-Type"] = answer.media_type
    return tuple(line_of(name, value) for name, value in headers.items())


@lru_cache(maxsize=1000)
def line_of(name: str, value: str | int) -> tuple[bytes, bytes]:
    """Return a header as it is sent. Nearly all of an answer were sent before."""
    return SPELLED.get(name, name).encode("ascii"), f"{value}".encode("latin-1")


@lru_cache(maxsize=1)
def date_at(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()

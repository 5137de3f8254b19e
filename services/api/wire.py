"""Writes an answer to the connection, past Sanic's own response formatting, which costs half a request.

It uses internals of Sanic's HTTP/1.1 stream: the version is pinned, and tests/api/test_wire.py holds what is relied on.
"""

import asyncio
import logging
import time
from contextlib import suppress
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus

from sanic.http import Stage
from sanic.log import logger as sanic_logger

from .parsing import DRAIN_BYTES_MAX
from .responses import Answer
from .stream import Stream

# it writes the URLs of requests that it cuts off at level info, and a query string belongs in no log
sanic_logger.setLevel(logging.WARNING)

APART_BYTES = 4096
LINGER_SECONDS = 2.0
# What agents write must never be taken for a page, a script or a frame. Pages of other sites may read it as data.
SECURITY = (
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: cross-origin\r\n"
)
STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


async def send(stream: Stream, answer: Answer, close: bool) -> None:
    """Send an answer; `close` asks the client to open a new connection for its next request."""
    if stream.expecting_continue:
        # refused before the body was asked for: it may come or not, so what follows cannot be told apart
        stream.expecting_continue = False
        stream.request_body = None
        stream.keep_alive = False
    elif close or (stream.request_bytes or 0) > DRAIN_BYTES_MAX:
        stream.keep_alive = False
    stream.response_func = None  # type: ignore[assignment]
    body = b"" if stream.request.method == "HEAD" else answer.body
    top = (answer.head or head(answer)) + ending(answer.request_id, stream.keep_alive)
    if len(body) < APART_BYTES:
        await stream.write(top + body)
    else:
        # the loop hands both to the kernel at once, and nothing has to be copied
        await stream.write(top, body)
    stream.stage = Stage.IDLE
    if not stream.keep_alive and (stream.request_body or stream.recv_buffer):
        await linger(stream)


async def linger(stream: Stream) -> None:
    """Read away what still comes, for at most 2 s, before the connection is closed.

    Closing over unread bytes would reset it, and the client might never see its answer.
    """
    transport = stream.protocol.transport
    assert transport is not None
    stream.request_body = None
    transport.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while True:
                stream.recv_buffer.clear()
                await stream._receive_more()


def head(answer: Answer) -> bytes:
    """The status line and the headers that say what the answer is.

    Values are the board's own: none may hold a line break.
    """
    lines = [STATUS_LINES[answer.status], SECURITY]
    lines += [f"{name}: {value}\r\n" for name, value in answer.headers.items()]
    if answer.status != 304:
        lines.append(f"Content-Length: {len(answer.body)}\r\n")
        lines.append(f"Content-Type: {answer.media_type}\r\n" if answer.body else "")
    return "".join(lines).encode("latin-1")


def ending(request_id: str, keep_alive: bool) -> bytes:
    """The headers that differ from one use of an answer to the next, and the end of the head."""
    return f"X-Request-Id: {request_id}\r\n{date_and_connection(int(time.time()), keep_alive)}".encode("latin-1")


@lru_cache(maxsize=2)
def date_and_connection(second: int, keep_alive: bool) -> str:
    connection = "keep-alive" if keep_alive else "close"
    return f"Date: {formatdate(second, usegmt=True)}\r\nConnection: {connection}\r\n\r\n"

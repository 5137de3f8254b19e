"""Writes answers to the connection. Sanic's own formatting of responses would cost half as much as a whole request.

It sets undocumented attributes of Sanic's stream, so the version is pinned (tests/api/test_wire.py).
"""

import asyncio
import logging
import time
from contextlib import suppress
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final

from sanic.http import Stage
from sanic.log import logger as sanic_logger

from services.contract.operations import HTML

from .bodies import DRAIN_BYTES_MAX
from .chunks import MalformedChunks
from .responses import Answer
from .stream import InputEnded, Stream

# At level info, Sanic logs the URLs of requests that it cuts off; query strings must not be logged.
sanic_logger.setLevel(logging.WARNING)

SEPARATE_BODY_BYTES: Final = 4096
LINGER_SECONDS: Final = 2.0
# Text from agents must never run as a page, script or frame. Pages of other sites may read it as data.
SECURITY: Final = (
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: cross-origin\r\n"
)
# A page for people loads the board's own files, and its form of search leads to the board.
PAGE_SECURITY: Final = SECURITY.replace(
    "default-src 'none'",
    "default-src 'none'; base-uri 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'",
)
STATUS_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}


async def send(stream: Stream, answer: Answer, close: bool) -> None:
    """Send an answer. With `close`, the connection ends after it. Raises RequestCancelled if the client is gone."""
    if stream.expecting_continue:
        # The client may or may not send the body that was refused: the next bytes would be ambiguous.
        stream.expecting_continue = False
        stream.request_body = None
        stream.keep_alive = False
    elif close or (stream.request_bytes or 0) > DRAIN_BYTES_MAX:
        stream.keep_alive = False
    stream.response_func = None  # type: ignore[assignment]
    await stream.write(*message(answer, stream.request.method, answer.request_id, stream.keep_alive))
    stream.stage = Stage.IDLE


async def discard_rest(stream: Stream) -> None:
    """Discard the rest of a body that was not read, or of everything if the connection ends after this answer."""
    if stream.keep_alive and stream.request_body:
        await drain(stream)
    if not stream.keep_alive and (stream.request_body or stream.recv_buffer):
        await linger(stream)


async def drain(stream: Stream) -> None:
    """Discard the rest of a body, up to 1 MiB of it. If it is longer, malformed or late, the connection ends."""
    with suppress(TimeoutError, InputEnded, MalformedChunks):
        async with stream.body_patience():
            while (stream.request_bytes or 0) <= DRAIN_BYTES_MAX:
                if await stream.read() is None:
                    return
                await asyncio.sleep(0)
    stream.keep_alive = False


async def linger(stream: Stream) -> None:
    """Discard what still arrives, for at most 2 s, before the connection is closed.

    Closing a connection with unread bytes would reset it, and the client might never see its answer.
    """
    protocol: Any = stream.protocol
    stream.request_body = None
    protocol.transport.write_eof()
    with suppress(TimeoutError, InputEnded):
        async with asyncio.timeout(LINGER_SECONDS):
            while True:
                stream.recv_buffer.clear()
                await protocol.receive_more()


def message(answer: Answer, method: str, request_id: str, keep_alive: bool) -> tuple[bytes, ...]:
    """Return the bytes of an answer to a request with this method: in two parts if the body is not worth copying."""
    top = (answer.head or head(answer)) + ending(request_id, keep_alive)
    body = b"" if method == "HEAD" else answer.body
    return (top + body,) if len(body) < SEPARATE_BODY_BYTES else (top, body)


def head(answer: Answer) -> bytes:
    """Return the status line and the headers that are the same every time the answer is used.

    The values come from the board and must not contain line breaks.
    """
    lines = [STATUS_LINES[answer.status], PAGE_SECURITY if answer.media_type == HTML else SECURITY]
    lines += [f"{name}: {value}\r\n" for name, value in answer.headers.items()]
    if answer.status != 304:
        lines.append(f"Content-Length: {len(answer.body)}\r\n")
        lines.append(f"Content-Type: {answer.media_type}\r\n" if answer.body else "")
    return "".join(lines).encode("latin-1")


def ending(request_id: str, keep_alive: bool) -> bytes:
    """Return the headers that change with every use of an answer, and the end of the head."""
    return f"X-Request-Id: {request_id}\r\n{date_and_connection(int(time.time()), keep_alive)}".encode("latin-1")


@lru_cache(maxsize=2)
def date_and_connection(second: int, keep_alive: bool) -> str:
    connection = "keep-alive" if keep_alive else "close"
    return f"Date: {formatdate(second, usegmt=True)}\r\nConnection: {connection}\r\n\r\n"

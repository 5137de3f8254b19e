"""Receives the bytes of a request's body, or discards them, on the stream that Sanic reads.

Sanic documents the class of the stream, but not its attributes. No documented name checks the line before a chunk,
leaves a refused body unread, or ends a connection with its answer. Such attributes are used in this folder, in
request/refusals.py, in the limiter and in process/http_server.py only: check them with each release of Sanic.
"""

import asyncio
from contextlib import suppress
from typing import Any, Final

from sanic.exceptions import SanicException

# Sanic exports the type of a request's stream only here.
from sanic.http import Http
from sanic.request import Request

from services.board.errors import BoardError, Invalid, Unavailable
from services.contract.answers.problems import FieldError
from services.contract.bounds import BODY_BYTES_MAX
from services.process.http_fields import stays_open

from .arriving import Arriving
from .grammar import CHUNK_LINE, CHUNK_LINE_BEGUN, CHUNK_LINE_MAX

AnyRequest = Request[Any, Any]
DRAIN_BYTES_MAX: Final = 4 * BODY_BYTES_MAX
BODY_SECONDS: Final = 30.0
LINGER_SECONDS: Final = 2.0
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"


class BodyTooLarge(BoardError):
    """The body is too large."""

    def __init__(self) -> None:
        super().__init__(f"The body is larger than {BODY_BYTES_MAX} bytes.")


class MalformedChunks(Exception):
    """The body is not chunked as RFC 9112 requires."""


def stream_of(request: AnyRequest) -> Http:
    """Return the stream of a request, from which its body is read."""
    assert isinstance(request.stream, Http)
    return request.stream


async def receive_body(request: AnyRequest) -> bytes:
    """Return the whole body.

    Raises BodyTooLarge, Invalid for chunks that are malformed or a body that is late, and Unavailable without room.
    """
    stream = stream_of(request)
    if not stream.request_body:
        return b""
    if (stream.request_bytes or 0) > BODY_BYTES_MAX:
        raise BodyTooLarge()
    arriving: Arriving = request.app.ctx.arriving
    try:
        async with request.app.ctx.patience.wait(arriving.seconds(BODY_SECONDS)):
            return await receive_parts(stream, arriving)
    except Unavailable:
        stream.keep_alive = False
        raise
    except (MalformedChunks, SanicException):
        stream.keep_alive = False
        raise bad_body("The chunked body is malformed.") from None
    except TimeoutError:
        stream.keep_alive = False
        raise bad_body("The body did not arrive in full in time; nothing was changed.") from None


async def receive_parts(stream: Http, arriving: Arriving) -> bytes:
    """Return the whole body, and let other requests run between its parts.

    Raises BodyTooLarge, MalformedChunks, Unavailable.
    """
    body = bytearray()
    try:
        while stream.request_body:
            if arriving.must_end(stream):
                raise Unavailable("Too many bodies have arrived only in part; nothing was changed.")
            part = await next_part(stream) or b""
            body += part
            arriving.bytes += len(part)
            if len(body) > BODY_BYTES_MAX:
                raise BodyTooLarge()
            await asyncio.sleep(0)
        return bytes(body)
    finally:
        arriving.bytes -= len(body)


async def next_part(stream: Http) -> bytes | None:
    """Return the next bytes of a body, None after the last. Raises MalformedChunks.

    Sanic reads more into the line before a chunk than RFC 9112 allows, so the line is checked before Sanic reads it.
    """
    body: object = stream.request_body  # Sanic's type of it lacks this value
    if body == "chunked" and not stream.request_bytes_left:
        if stream.expecting_continue:
            stream.expecting_continue = False
            await stream.protocol.send(CONTINUE)
        while not has_chunk_line(stream.recv_buffer):
            await stream.protocol.receive_more()
    part: bytes | None = await stream.read()
    return part


def has_chunk_line(buffer: bytearray) -> bool:
    """Whether a whole chunk line comes next; the last one, of size 0, ends with the empty line after it.

    Raises MalformedChunks as soon as it cannot become one.
    """
    if CHUNK_LINE.match(buffer, 0, CHUNK_LINE_MAX) is not None:
        return True
    if len(buffer) < CHUNK_LINE_MAX and CHUNK_LINE_BEGUN.fullmatch(buffer):
        return False
    raise MalformedChunks()


def keep_as_wanted(request: AnyRequest) -> None:
    """Let the connection stay open or end as the client wants: Sanic knows one spelling of that only."""
    wanted = stays_open(request.version, request.headers.getall("connection"))
    stream_of(request).keep_alive = wanted and request.app.config.KEEP_ALIVE


def decide_keep_alive(stream: Http, may_stay: bool) -> None:
    """Let the connection end after the answer if the process stops, or if the rest of the body will not be read."""
    if stream.expecting_continue:
        # The client may or may not send the body that was refused: the next bytes would be ambiguous.
        stream.expecting_continue = stream.keep_alive = False
        stream.request_body = None
    elif not may_stay or (stream.request_bytes or 0) > DRAIN_BYTES_MAX:
        stream.keep_alive = False


async def discard_rest(request: AnyRequest) -> None:
    """Discard the rest of a body that was not read, or of everything if the connection ends after this answer."""
    stream = stream_of(request)
    if stream.keep_alive and stream.request_body:
        try:
            async with request.app.ctx.patience.wait(BODY_SECONDS):
                await drain(stream)
        except (TimeoutError, MalformedChunks, SanicException):
            stream.keep_alive = False
    if not stream.keep_alive and (stream.request_body or stream.recv_buffer):
        await linger(stream)


async def drain(stream: Http) -> None:
    """Discard the rest of a body, up to 1 MiB of it. Raises MalformedChunks."""
    while stream.request_body:
        if (stream.request_bytes or 0) > DRAIN_BYTES_MAX:
            stream.keep_alive = False
            return
        await next_part(stream)
        await asyncio.sleep(0)


async def linger(stream: Http) -> None:
    """Discard what still arrives, for at most 2 s, before the connection is closed.

    Closing a connection with unread bytes would reset it, and the client might never see its answer.
    """
    stream.request_body = None
    if stream.protocol.transport is not None:
        stream.protocol.transport.write_eof()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while True:
                stream.recv_buffer.clear()
                await stream.protocol.receive_more()


def bad_body(detail: str) -> Invalid:
    """Return the error for a body that could not be received."""
    return Invalid([FieldError(None, "body", "bad_format", detail)])

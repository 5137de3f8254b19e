"""Reads the chunks of a body (RFC 9112, 7.1) from the bytes that have arrived, in time proportional to their number."""

from typing import Any, Final

from .grammar import CHUNK_LINE, CHUNK_LINE_BEGUN, CHUNK_LINE_MAX

CHUNKS_AT_ONCE: Final = 1000


class MalformedChunks(Exception):
    """The body is not chunked as RFC 9112 requires."""


def take_chunks(stream: Any) -> bytes:
    """Take what has arrived of a chunked body out of the buffer, at most 1,000 chunks, and return its content.

    Nothing is returned when more must arrive, or when the body has ended: then the stream's `request_body` is None.
    Raises MalformedChunks, after which the connection must be closed.
    """
    buffer, at, parts = stream.recv_buffer, 0, []
    for _ in range(CHUNKS_AT_ONCE):
        if not stream.request_bytes_left:
            line = find_line(stream, at)
            if line is None:
                break
            at, size = line
            stream.request_bytes_left = size
            stream.request_bytes += size
            if not size:
                stream.request_body = None
                break
        part = buffer[at : at + stream.request_bytes_left]
        if not part:
            break
        parts.append(part)
        at += len(part)
        stream.request_bytes_left -= len(part)
    del buffer[:at]
    return b"".join(parts)


def find_line(stream: Any, at: int) -> tuple[int, int] | None:
    """Return where the chunk line that begins here ends, and the size that it gives; None if it has not arrived.

    The last line, of size 0, ends with the empty line after it: trailers are refused.
    """
    buffer = stream.recv_buffer
    line = CHUNK_LINE.match(buffer, at, at + CHUNK_LINE_MAX)
    if line is not None:
        return line.end(), int(line[1] or b"0", 16)
    if len(buffer) - at < CHUNK_LINE_MAX and CHUNK_LINE_BEGUN.fullmatch(buffer, at):
        return None
    stream.keep_alive = False
    raise MalformedChunks()

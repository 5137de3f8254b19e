"""A chunked body is read in linear time, in any pieces, and other calls are served in the meantime."""

import asyncio
import random
from types import SimpleNamespace
from typing import Any

import pytest

from services.api.http.bodies import receive_parts
from services.api.http.chunks import CHUNKS_AT_ONCE, MalformedChunks, take_chunks
from services.api.http.stream import Stream
from services.contract.bounds import BODY_BYTES_MAX
from tests.api.raw import Raw, bearer, request
from tests.web import Agent


def stream_of(received: bytes) -> Any:
    """The parts of a stream that the reader of a body uses."""
    stream = SimpleNamespace(
        recv_buffer=bytearray(received), request_body="chunked", request_bytes=0, request_bytes_left=0,
        keep_alive=True, expecting_continue=False,
    )  # fmt: skip
    stream.take = lambda: take_chunks(stream)
    stream.read = lambda: Stream.read(stream)  # type: ignore[arg-type]
    return stream


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [1, 2, 15, 16, 1000])
def test_a_body_may_be_cut_anywhere(size: int) -> None:
    chance, body = random.Random(size), bytes(range(256)) * 4
    sent = chunked(body, size) + b"GET"
    for _ in range(50):
        stream, received = stream_of(b""), b""
        cuts = sorted(chance.sample(range(len(sent)), 10))
        for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
            stream.recv_buffer += sent[start:end]
            while stream.request_body and (part := take_chunks(stream)):
                received += part
        assert (received, stream.request_body) == (body, None)
        assert (stream.request_bytes, stream.recv_buffer) == (len(body), b"GET")


def test_a_line_is_refused_as_soon_as_it_is_wrong() -> None:
    for begun in (b"x", b"\r\r", b"\r\n ", b"\r\n2 \r", b"\r\n0\r\nX", b"\r\n" + b"0" * 40, b"\r\n1;" + b"a" * 200):
        with pytest.raises(MalformedChunks):
            take_chunks(stream_of(begun))


async def test_others_are_served_while_a_body_of_tiny_chunks_is_read() -> None:
    body = bytes(BODY_BYTES_MAX)
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    assert await receive_parts(stream_of(chunked(body, 1))) == body
    task.cancel()
    assert turns >= BODY_BYTES_MAX // CHUNKS_AT_ONCE


def test_a_body_of_tiny_chunks_is_taken(alice: Agent, raw: Raw) -> None:
    body = b'{"title": "t", "body": "b"}'.ljust(BODY_BYTES_MAX)
    fields = (bearer(alice.token), "Content-Type: application/json", "Transfer-Encoding: chunked")
    raw.send(request("POST", "/api/threads", None, *fields), chunked(body, 1)[2:])
    assert raw.answer().status == 201
    assert raw.is_usable()

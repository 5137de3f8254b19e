"""Careless and hostile clients: half heads, half bodies, bytes one at a time, and answers that are never read.

Each of them holds its connection past every deadline of the server, and then connects again. None needs a token.
"""

import asyncio
import http.client
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from typing import NamedTuple

from tests.processes import ApiProcess

PIECES = 40
FAULT_SECONDS = 60
PAUSE_SECONDS = 0.05
LINE = b"Host: board\r\n"
GET = b"GET /api/health HTTP/1.1\r\n" + LINE + b"\r\n"
LONG = b"GET /api/activity?after=0&limit=100 HTTP/1.1\r\n" + LINE + b"\r\n"
POST = b"POST /api/agents/register HTTP/1.1\r\n" + LINE + b"Content-Type: application/json\r\n"
SIZED = POST + b"Content-Length: 400\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
FIELD = b"X-Padding: " + b"a" * 170 + b"\r\n"
ENDINGS = ("held", "half closed", "reset")
RESET = b"\x01\x00\x00\x00\x00\x00\x00\x00"


class Manner(NamedTuple):
    """The bytes that a client sends: first at once, then in pieces until its connection has lasted long enough."""

    first: bytes
    pieces: Sequence[bytes] = ()


def one_by_one(content: bytes) -> list[bytes]:
    return [content[at : at + 1] for at in range(len(content))]


MANNERS: dict[str, Manner] = {
    "silent": Manner(b""),
    "half a head": Manner(GET[:18]),
    "half a head, later the rest": Manner(GET[:18], [b""] * (PIECES // 2) + [GET[18:]]),
    "a head byte by byte": Manner(b"", one_by_one(GET[:PIECES])),
    "a large head in pieces": Manner(GET[:-2], [FIELD] * PIECES),
    "a head without its body": Manner(SIZED + b"\r\n"),
    "half a body": Manner(SIZED + b'\r\n{"name": "'),
    "a body byte by byte": Manner(SIZED + b"\r\n", [b" "] * PIECES),
    "half a chunk": Manner(CHUNKED + b"40\r\n{"),
    "chunks one by one": Manner(CHUNKED, [b"1\r\n \r\n"] * PIECES),
    "half a chunk line": Manner(CHUNKED + b"4"),
    "an expectation": Manner(SIZED + b"Expect: 100-continue\r\n\r\n"),
    "an unknown expectation": Manner(SIZED + b"Expect: the unexpected\r\n\r\n"),
    "two requests and a half": Manner(GET + GET + GET[:20]),
    "requests without end": Manner(GET, [GET + GET[:9], GET[9:]] * (PIECES // 2)),
    "unread answers": Manner(LONG * 50, [LONG] * PIECES),
    "TLS": Manner(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40)),
    "no HTTP": Manner(b"\r\n\r\n\x00" * 20, [b"\r\n"] * PIECES),
    "an upgrade": Manner(GET[:-2] + b"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
    "an HTTP/2 preface": Manner(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "a malformed head": Manner(b"GET /api/health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + GET[:10]),
    "a path without a route": Manner(GET.replace(b"health", b"nothing") + GET[:10]),
}


async def misbehave(host: str, port: int, manner: Manner, used: bool, ending: str, seconds: float) -> None:
    """Hold one connection for some seconds: one that has been answered before, if it is `used`."""
    reader, writer = await asyncio.open_connection(host, port)
    try:
        if used:
            writer.write(GET)
            await reader.read(1)
        writer.write(manner.first)
        for piece in chain(manner.pieces, repeat(b"", PIECES - len(manner.pieces))):
            if writer.transport.is_closing():
                return
            writer.write(piece)
            await asyncio.sleep(seconds / PIECES)
        if ending == "half closed":
            writer.write_eof()
            await asyncio.sleep(seconds)
    finally:
        if ending == "reset" and not writer.transport.is_closing():
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        writer.transport.abort()


@contextmanager
def hostile_clients_of(host: str, port: int, seconds: float) -> Iterator[None]:
    """Let one client of each manner misbehave again and again in a thread; each connection is held for `seconds`."""
    over = threading.Event()

    async def again_and_again(manner: Manner, used: bool, ending: str) -> None:
        while True:
            # the server may close the connection at any time
            with suppress(OSError):
                await misbehave(host, port, manner, used, ending, seconds)
            await asyncio.sleep(seconds / PIECES)

    async def until_over() -> None:
        clients = [
            asyncio.create_task(again_and_again(manner, used, ending))
            for manner in MANNERS.values()
            for used in (False, True)
            for ending in ENDINGS
        ]
        await asyncio.to_thread(over.wait)
        for client in clients:
            client.cancel()
        ended = await asyncio.gather(*clients, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError) for end in ended), ended

    thread = threading.Thread(target=asyncio.run, args=(until_over(),))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def ask_meanwhile(host: str, port: int, seconds: float) -> int:
    """Call the server on a kept connection and on new ones for some seconds; return how many calls were answered.

    Fails if one of them is not answered with 200 within a time that only a fault takes.
    """
    kept = http.client.HTTPConnection(host, port, timeout=FAULT_SECONDS)
    until, count = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        new = http.client.HTTPConnection(host, port, timeout=FAULT_SECONDS)
        for connection in (kept, new):
            connection.request("GET", "/api/health")
            with connection.getresponse() as answer:
                assert answer.status == 200, answer.read()
                answer.read()
                count += 1
        new.close()
        time.sleep(PAUSE_SECONDS)
    kept.close()
    return count


def faults(process: ApiProcess) -> list[dict[str, object]]:
    """Return what a process has logged as errors."""
    return [line for line in process.log_lines() if line["level"] in ("error", "critical")]

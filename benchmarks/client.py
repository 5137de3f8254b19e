"""The load generator: keep-alive connections that send one request after another, as cheaply as Python can.

It counts answers by status and reads bodies only by Content-Length, so it is not a general HTTP client.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import cast
from urllib.parse import urlsplit

Requests = Iterator[bytes]


class Connection(asyncio.Protocol):
    """Sends the next request as soon as an answer is complete, until the deadline or the last request."""

    def __init__(self, requests: Requests, statuses: "Counter[int]") -> None:
        self.requests = requests
        self.deadline = 0.0
        self.statuses = statuses
        self.buffer = b""
        self.missing = 0
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def begin(self, deadline: float) -> None:
        """Send the first request."""
        self.deadline = deadline
        self.send_next()

    def data_received(self, data: bytes) -> None:
        if self.missing:
            self.missing -= len(data)
            if self.missing > 0:
                return
        else:
            self.buffer += data
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                return
            self.statuses[int(self.buffer[9:12])] += 1
            start = self.buffer.lower().find(b"content-length: ", 0, end)
            length = int(self.buffer[start + 16 : self.buffer.index(b"\r", start)]) if start >= 0 else 0
            self.missing = end + 4 + length - len(self.buffer)
            self.buffer = b""
            if self.missing > 0:
                return
        self.missing = 0
        self.send_next()

    def send_next(self) -> None:
        request = next(self.requests, None) if time.perf_counter() < self.deadline else None
        if request is None:
            self.transport.close()
        else:
            self.transport.write(request)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_result(None)


async def load(url: str, requests: Requests, connections: int, seconds: float) -> tuple[float, "Counter[int]"]:
    """Return answers per second over this many open connections, and the number of answers of each status."""
    host, port = urlsplit(url).hostname or "", urlsplit(url).port or 80
    statuses: Counter[int] = Counter()
    loop = asyncio.get_running_loop()
    make: Callable[[], Connection] = lambda: Connection(requests, statuses)  # noqa: E731
    opened = [(await loop.create_connection(make, host, port))[1] for _ in range(connections)]
    began = time.perf_counter()
    for connection in opened:
        connection.begin(began + seconds)
    await asyncio.gather(*(connection.done for connection in opened))
    return sum(statuses.values()) / (time.perf_counter() - began), statuses


async def rate_of(
    url: str, requests: Requests, connections: int, seconds: float, statuses: Collection[int] = (200, 201)
) -> float:
    """Return answers per second. Raises RuntimeError if there were none, or any with an unexpected status."""
    rate, found = await load(url, requests, connections, seconds)
    if not found or set(found) - set(statuses):
        raise RuntimeError(f"unexpected answers {found}; expected only {statuses}")
    return rate


def get(path: str) -> bytes:
    """A GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()


def post(path: str, token: str, body: bytes, key: str | None = None) -> bytes:
    """A POST request with a JSON body."""
    head = f"POST {path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
    head += "Content-Type: application/json\r\n" + (f"Idempotency-Key: {key}\r\n" if key else "")
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

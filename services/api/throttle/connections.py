"""HTTP with the limiter over kept-alive connections, each of which carries one request at a time."""

import asyncio
import random
import socket
import ssl
from time import monotonic
from typing import Any, Final
from urllib.parse import urlsplit

from httptools import HttpParserError, HttpResponseParser

from services.process.patience import Overdue, reply_within

# shorter than the limiter keeps a connection, so that it hardly ever closes one that is being used
IDLE_SECONDS: Final = 30
ANSWER_BYTES_MAX: Final = 128 * 1024

Answer = tuple[int, bytes]


class Refused(Exception):
    """The limiter has answered, but not as it should."""


class Dropped(Exception):
    """The limiter has closed a connection that it had kept, and has sent nothing for the last request."""


class Connection(asyncio.Protocol):
    """One connection, and the answer that it expects: a status and a body. Any other byte ends it."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.parser = HttpResponseParser(self)
        self.transport: Any = None
        self.waiting: asyncio.Future[Answer] | None = None
        self.body: list[bytes] = []
        self.size = 0
        self.status = 0
        self.usable = False
        self.answered_at: float | None = None

    def ask(self, request: bytes) -> "asyncio.Future[Answer]":
        """Send a request; the future gets its answer, or Refused or Dropped."""
        self.body, self.size, self.status = [], 0, 0
        self.waiting = self.loop.create_future()
        self.transport.write(request)
        return self.waiting

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.usable = transport, True

    def data_received(self, data: bytes) -> None:
        """Take in a piece of the answer."""
        self.size += len(data)
        if self.waiting is None or self.size > ANSWER_BYTES_MAX:
            self.fail(Refused("bytes that were not asked for, or too many"))
            return
        try:
            self.parser.feed_data(data)
        except HttpParserError:
            self.fail(Refused("not one answer of HTTP"))
            return
        if self.status:
            self.succeed(self.waiting)

    def on_message_begin(self) -> None:
        """Refuse a second answer in the same piece."""
        if self.status:
            raise ValueError

    def on_body(self, body: bytes) -> None:
        """Keep a piece of the body."""
        self.body.append(body)

    def on_message_complete(self) -> None:
        """Note the status, and whether the limiter keeps the connection. Refuse an interim answer."""
        self.status = self.parser.get_status_code()
        if self.status < 200:
            raise ValueError
        if not self.parser.should_keep_alive():
            self.usable = False

    def succeed(self, waiting: "asyncio.Future[Answer]") -> None:
        self.waiting, self.answered_at = None, self.loop.time()
        if not waiting.done():
            waiting.set_result((self.status, b"".join(self.body)))

    def fail(self, error: Exception) -> None:
        """Fail the request in flight, and cut the connection."""
        waiting, self.waiting = self.waiting, None
        if waiting is not None and not waiting.done():
            waiting.set_exception(error)
        self.cut()

    def time_out(self) -> None:
        """Fail the request in flight because its answer is late."""
        self.fail(TimeoutError())

    def connection_lost(self, error: Exception | None) -> None:
        """Fail the request in flight."""
        dropped = self.answered_at is not None and self.size == 0
        self.fail(Dropped() if dropped else Refused("closed before the answer was complete"))

    def cut(self) -> None:
        """Close the connection, whatever is in flight."""
        self.usable = False
        self.transport.abort()


class Connections:
    """The connections to the limiter at a URL. Each new one goes to an address of its name that is drawn by lot."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.tls = ssl.create_default_context() if parts.scheme == "https" else None
        self.host = parts.hostname or ""
        self.port = parts.port or (443 if self.tls else 80)
        self.head = f"POST {parts.path}%s HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\n"
        self.idle: list[Connection] = []
        self.in_use: set[Connection] = set()
        self.closed = False

    async def post(self, path: str, body: bytes, seconds: float) -> bytes:
        """Return the body of an answer. Raises Refused, OSError, and TimeoutError after this many seconds."""
        request = f"{self.head % path}Content-Length: {len(body)}\r\n\r\n".encode() + body
        deadline = monotonic() + seconds
        while connection := self.take_idle():
            try:
                return await self.exchange(connection, request, deadline)
            except Dropped:
                # A limiter that stops may do that while a request is on its way. Checks and releases may be sent again.
                continue
        async with reply_within(deadline - monotonic()):
            connection = await self.connect()
        return await self.exchange(connection, request, deadline)

    def take_idle(self) -> Connection | None:
        """The connection that was used last, unless the limiter has closed it or is about to."""
        while self.idle:
            connection = self.idle.pop()
            assert connection.answered_at is not None
            if connection.usable and connection.loop.time() - connection.answered_at < IDLE_SECONDS:
                return connection
            connection.cut()
        return None

    async def connect(self) -> Connection:
        """Connect to the first address that accepts."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        tls: Any = {"ssl": self.tls, "server_hostname": self.host} if self.tls else {}
        failure = OSError("the name has no address")
        for *_, address in random.sample(found, len(found)):
            try:
                return (await loop.create_connection(Connection, str(address[0]), self.port, **tls))[1]
            except OSError as error:
                failure = error
        raise failure

    async def exchange(self, connection: Connection, request: bytes, deadline: float) -> bytes:
        """Return the body of the answer to a request. The connection is kept if it can carry another one."""
        self.in_use.add(connection)
        overdue = Overdue(deadline - monotonic(), connection.time_out)
        try:
            if self.closed:
                raise Refused("the client is closed")
            status, body = await connection.ask(request)
        except BaseException:
            # its answer, which may still come, must never be taken for that to another request
            connection.cut()
            raise
        finally:
            overdue.cancel()
            self.in_use.discard(connection)
        self.keep(connection)
        if status != 200:
            raise Refused(f"status {status}")
        return body

    def keep(self, connection: Connection) -> None:
        if connection.usable and not self.closed:
            self.idle.append(connection)
        else:
            connection.cut()

    def close(self) -> None:
        """Cut all connections; nothing is sent from now on."""
        self.closed = True
        for connection in (*self.idle, *self.in_use):
            connection.cut()

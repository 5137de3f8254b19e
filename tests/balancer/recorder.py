"""A server in place of a replica. It records the received bytes, and answers as the test requires, or not at all.

It shows details that an API process hides: the balancer's exact bytes, and its behaviour when an answer is lost.
"""

import re
import socketserver
import threading
import time
from typing import Final, Self

WAIT_SECONDS: Final = 120
ANSWER: Final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Request-Id: 0\r\n\r\nOK"
LENGTH: Final = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


class Recorder:
    """Listens on both ports of a replica. An `answer` of b"" closes the connection; None leaves the caller waiting."""

    def __init__(self, address: str, port: int, operator_port: int) -> None:
        self.answer: bytes | None = ANSWER
        self.ready = True
        self.requests: list[bytes] = []
        self.released = threading.Event()
        self.servers = [server(address, port, self.serve), server(address, operator_port, self.serve_ready)]
        self.threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in self.servers]

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        for one in self.servers:
            one.shutdown()
            one.server_close()

    def serve(self, connection: socketserver.StreamRequestHandler) -> None:
        while request := read_request(connection):
            self.requests.append(request)
            if self.answer is None:
                self.released.wait()
            if not self.answer:
                return
            connection.wfile.write(self.answer)

    def serve_ready(self, connection: socketserver.StreamRequestHandler) -> None:
        while read_request(connection):
            status = b"200 OK" if self.ready else b"503 Service Unavailable"
            connection.wfile.write(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")

    def wait_for(self, count: int) -> None:
        """Return when this many requests have arrived."""
        deadline = time.monotonic() + WAIT_SECONDS
        while len(self.requests) < count:
            assert time.monotonic() < deadline, self.requests
            time.sleep(0.01)


def read_request(connection: socketserver.StreamRequestHandler) -> bytes:
    """Return the next request, or nothing if the connection has ended."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = connection.rfile.readline()
        if not line:
            return b""
        head += line
    if b"\r\ntransfer-encoding: chunked\r\n" in head:
        return head + read_chunks(connection)
    found = LENGTH.search(head)
    return head + (connection.rfile.read(int(found[1])) if found else b"")


def read_chunks(connection: socketserver.StreamRequestHandler) -> bytes:
    """Return the chunks of a body as they were received."""
    chunks = b""
    while not chunks.endswith(b"\r\n0\r\n\r\n") and chunks != b"0\r\n\r\n":
        size = connection.rfile.readline()
        chunks += size + connection.rfile.read(int(size, 16) + 2)
    return chunks


def server(address: str, port: int, serve: "object") -> socketserver.ThreadingTCPServer:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            serve(self)  # type: ignore[operator]

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: object) -> None:
            """Ignore connections that the balancer closes; that is not an error here."""

    return Server((address, port), Handler)

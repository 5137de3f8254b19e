"""A raw socket to a server, for requests that no HTTP library would send."""

import http.client
import io
import json
import socket
from typing import Any, Self

from tests.web import Answer


class Connection:
    """One connection to a port, from an address of this machine."""

    def __init__(self, host: str, port: int, source: str = "", seconds: float = 10) -> None:
        self.socket = socket.create_connection((host, port), seconds, (source, 0))
        # otherwise the kernel may keep a second request until the first is acknowledged
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *parts: bytes) -> Self:
        self.socket.sendall(b"".join(parts))
        return self

    def ask(self, *parts: bytes) -> Answer:
        """Send a request and read its answer."""
        return self.send(*parts).answer()

    def answer(self, method: str = "GET") -> Answer:
        """Return the next answer, including one that only asks the client to continue; a HEAD or a 304 has no body."""
        while b"\r\n\r\n" not in self.received:
            self.receive()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        protocol, status, _ = line.decode("ascii").split(" ", 2)
        assert protocol == "HTTP/1.1"
        headers = http.client.parse_headers(io.BytesIO(fields + b"\r\n\r\n"))
        empty = method == "HEAD" or status in ("100", "304")
        return Answer(int(status), headers, b"" if empty else self.content(int(headers["Content-Length"])))

    def content(self, length: int) -> bytes:
        while len(self.received) < length:
            self.receive()
        content, self.received = self.received[:length], self.received[length:]
        return content

    def receive(self) -> None:
        part = self.socket.recv(65536)
        if not part:
            raise ConnectionAbortedError(f"it was closed before its answer was whole: {self.received!r}")
        self.received += part

    def rest(self) -> bytes:
        """Everything that the server sends until it closes the connection."""
        while part := self.socket.recv(65536):
            self.received += part
        return self.received

    def is_closed(self) -> bool:
        """Whether the server has closed the connection cleanly, with no bytes left unread."""
        self.received = self.received or self.socket.recv(1)
        return self.received == b""


def request(
    method: str, target: str, body: bytes | None = None, *fields: str, media_type: str | None = "application/json"
) -> bytes:
    """The bytes of a request; its Content-Length and Content-Type are added when there is a body."""
    lines = [f"{method} {target} HTTP/1.1", "Host: x", *fields]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
        if media_type is not None:
            lines.append(f"Content-Type: {media_type}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def bearer(token: str | None) -> str:
    return f"Authorization: Bearer {token}"


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()

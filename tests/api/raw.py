"""A raw socket to a board, for requests that no HTTP library would send. It parses and checks each answer strictly."""

import http.client
import io
import json
import re
import socket
from typing import Any, Self
from urllib.parse import urlsplit

from tests.web import Answer, check_every_answer

SECONDS = 10
WELL_FORMED = re.compile(rb"([A-Z]+) (/[!-~]*) HTTP/1\.[01]\r\n")
PING = b"GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n"


class Raw:
    """One connection."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=SECONDS)
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

    def answer(self, method: str = "GET", target: str = "") -> Answer:
        """The next answer; a HEAD or a 304 has no body. If `target` is given, check it against the description."""
        while b"\r\n\r\n" not in self.received:
            self.receive()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        protocol, status, _ = line.decode("ascii").split(" ", 2)
        assert protocol == "HTTP/1.1"
        headers = http.client.parse_headers(io.BytesIO(fields + b"\r\n\r\n"))
        if status == "100":
            assert fields == b""
            return Answer(100, headers, b"")
        assert headers["Connection"] in ("keep-alive", "close")
        empty = method == "HEAD" or status == "304"
        answer = Answer(int(status), headers, b"" if empty else self.body(int(headers["Content-Length"])))
        check_every_answer(answer, method if target else "", target)
        return answer

    def ask(self, *parts: bytes) -> Answer:
        """Send a request and read its answer."""
        self.send(*parts)
        call = WELL_FORMED.match(b"".join(parts))
        return self.answer(*[part.decode() for part in call.groups()]) if call else self.answer()

    def body(self, length: int) -> bytes:
        while len(self.received) < length:
            self.receive()
        content, self.received = self.received[:length], self.received[length:]
        return content

    def receive(self) -> None:
        part = self.socket.recv(65536)
        assert part, "the connection was closed before its answer was whole"
        self.received += part

    def rest(self) -> bytes:
        """Everything that the board sends until it closes the connection."""
        while part := self.socket.recv(65536):
            self.received += part
        return self.received

    def is_usable(self) -> bool:
        """Whether no bytes are left from the last answer and the next request is answered."""
        return self.received == b"" and self.ask(PING).status == 200

    def is_closed(self) -> bool:
        """Whether the board has closed the connection cleanly, with no bytes left unread."""
        return self.received == b"" and self.socket.recv(1) == b""


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

"""A socket to the balancer, and checks of every answer that the balancer gives instead of the board."""

import http.client
import io
import json
import socket
from typing import Any, Self

from services.contract.effects import NONE
from services.contract.operations import Operation
from services.contract.problems import GATEWAY_STATUSES
from tests.balancer.balancer import Balancer
from tests.contract.answers import PROBLEM, validator
from tests.web import EFFECT, REQUEST_ID, SECURITY, Answer, check_problem

SECONDS = 30


class Connection:
    """One connection, from an address of this machine."""

    def __init__(self, balancer: Balancer, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(("127.0.0.1", balancer.port), SECONDS, (source, 0))
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

    def answer(self) -> Answer:
        """Return the next answer, including one that only asks the client to continue."""
        while b"\r\n\r\n" not in self.received:
            self.receive()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        status = int(line.split(b" ")[1])
        headers = http.client.parse_headers(io.BytesIO(fields + b"\r\n\r\n"))
        return Answer(status, headers, b"" if status in (100, 304) else self.content(int(headers["Content-Length"])))

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

    def is_closed(self) -> bool:
        """Return whether the balancer closes the connection without sending anything more."""
        try:
            return self.received == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def request(method: str, target: str, body: bytes | None = None, *fields: str) -> bytes:
    """Return the bytes of a request; a body is sent with its length and as JSON."""
    lines = [f"{method} {target} HTTP/1.1", "Host: x", *fields]
    if body is not None:
        lines += [f"Content-Length: {len(body)}", "Content-Type: application/json"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def bearer(token: str | None) -> str:
    return f"Authorization: Bearer {token}"


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def check_own(answer: Answer, operation: Operation | None = None, *, refused: bool = True) -> None:
    """Check one of the balancer's own answers, which is always a problem (docs/interface.md, 3.2 and 5.1).

    `refused` means that the call reached no replica: then nothing was applied. Otherwise the outcome is unknown.
    """
    check_transport(answer)
    effect = operation.effect if operation else NONE
    assert answer.effect == effect.header(False if refused else None)
    assert answer.headers["Date"]
    assert (answer.headers["Access-Control-Allow-Origin"] == "*") == (effect is NONE)


def check_transport(answer: Answer) -> None:
    """Check an answer, even one to a malformed request."""
    assert EFFECT.fullmatch(answer.effect), answer.effect
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    assert {name: answer.headers[name] for name in SECURITY} == SECURITY
    assert answer.headers["Content-Type"] in PROBLEM
    check_problem(answer, GATEWAY_STATUSES)
    schema = json.dumps(PROBLEM["application/problem+json"]["schema"])
    assert list(validator(schema).iter_errors(answer.json)) == []

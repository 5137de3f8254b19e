"""A socket to the balancer, and what holds for every answer that it gives in the place of the board."""

import http.client
import io
import json
import socket
from typing import Any, Self

from services.board.contract.effects import NONE
from services.board.contract.operations import Operation
from services.board.contract.problems import GATEWAY_STATUSES
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
        """The next answer; one that only says to go on comes as such."""
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
        """Whether the balancer closes the connection, with nothing left over."""
        try:
            return self.received == b"" and self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


def request(method: str, target: str, body: bytes | None = None, *fields: str) -> bytes:
    """The bytes of a request; with a body it has its length and is said to be JSON."""
    lines = [f"{method} {target} HTTP/1.1", "Host: x", *fields]
    if body is not None:
        lines += [f"Content-Length: {len(body)}", "Content-Type: application/json"]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")


def bearer(token: str | None) -> str:
    return f"Authorization: Bearer {token}"


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def check_own(answer: Answer, operation: Operation | None = None, *, refused: bool = True) -> None:
    """What holds for an answer of the balancer's own, which is always a problem (decisions 1.1, 1.13, 2.2).

    `refused` says that the call reached no replica: then nothing was applied, and otherwise nobody knows.
    """
    check_transport(answer)
    effect = operation.effect if operation else NONE
    assert answer.effect == effect.header(False if refused else None)
    assert answer.headers["Date"]
    assert (answer.headers["Access-Control-Allow-Origin"] == "*") == (effect is NONE)


def check_transport(answer: Answer) -> None:
    """What holds even for an answer to what was no request."""
    assert EFFECT.fullmatch(answer.effect), answer.effect
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
    assert {name: answer.headers[name] for name in SECURITY} == SECURITY
    assert answer.headers["Content-Type"] in PROBLEM
    check_problem(answer, GATEWAY_STATUSES)
    schema = json.dumps(PROBLEM["application/problem+json"]["schema"])
    assert list(validator(schema).iter_errors(answer.json)) == []

"""A connection of the limiter: it answers a whole request with checks by itself, without Sanic's objects.

Everything else, such as requests in pieces, other heads, invalid checks and refusals, goes the ordinary way through
Sanic. It uses internals of Sanic's protocol, so the version is pinned.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from time import monotonic
from typing import Any, Final

import structlog
from sanic.http import Stage
from sanic.server import HttpProtocol

from services.contract.checks import CHECK_PATH, Check, Verdict

from .connection import StoreAway
from .messages import PROBLEM_JSON, Refusal, encode, of_status, parse_checks, store_away

JSON: Final = "application/json"
# the head that API processes send
_KNOWN: Final = re.compile(
    rb"POST %s HTTP/1\.1\r\nHost: ([!-~]+)\r\nContent-Type: %s\r\nContent-Length: (\d{1,6})\r\n\r\n"
    % (CHECK_PATH.encode(), JSON.encode())
)
_OK: Final = f"HTTP/1.1 200 OK\r\ncontent-type: {JSON}\r\n"

Decided = asyncio.Future[list[Verdict]]

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class Protocol(HttpProtocol):
    """A connection of the limiter. At most one request of it is decided at a time."""

    __slots__ = ("_asked", "_early", "_host", "_process")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        app: Any = self.app
        self._process: Any = app.ctx.process
        self._host: bytes | None = None  # that the guard has accepted on this connection
        self._asked: Decided | None = None
        self._early: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        """Decide the checks of a known request, or pass the bytes to Sanic."""
        if self._asked is not None:
            self._early.append(data)
            self._transport.pause_reading()
        elif (checks := self._known_checks(data)) is None:
            super().data_received(data)
        else:
            self._asked = self._process.limiter.decide(checks)
            self._asked.add_done_callback(self._answer)

    def connection_lost(self, exc: BaseException | None) -> None:
        """Stop waiting for a decision: no one is there to receive it."""
        if self._asked is not None:
            self._asked.cancel()
        super().connection_lost(exc)  # type: ignore[no-untyped-call]

    def close_if_idle(self) -> bool:
        """Close the connection unless a request is in flight; return whether it was closed."""
        return self._asked is None and bool(super().close_if_idle())

    @property
    def _transport(self) -> Any:
        return self.transport

    def _known_checks(self, data: bytes) -> Sequence[Check] | None:
        """The checks of a known request; None if anything about it or the connection is unusual."""
        known = _KNOWN.match(data)
        if known is None or len(data) - known.end() != int(known[2]) or not self._is_idle():
            return None
        if known[1] != self._host:
            if self._process.guard.wrong_host(known[1].decode(), self._transport.get_extra_info("sockname")):
                return None
            self._host = known[1]
        try:
            return parse_checks(JSON, data[known.end() :])
        except Refusal:
            return None

    def _is_idle(self) -> bool:
        """Whether the connection waits for a request, will stay open after it, and its client reads the answers."""
        stream: Any = self.http
        waits = stream is not None and stream.stage is Stage.IDLE and not self.recv_buffer
        return waits and stream.keep_alive and self._can_write.is_set() and not self._process.quiet_now

    def _answer(self, decided: Decided) -> None:
        self._asked = None
        if decided.cancelled() or self.transport is None or self.transport.is_closing():
            return
        error = decided.exception()
        if error is None:
            self._send(_OK, encode(decided.result()))
        else:
            self._refuse(error)
        early, self._early = b"".join(self._early), []
        if early and not self.transport.is_closing():
            self._transport.resume_reading()
            self.data_received(early)

    def _refuse(self, error: BaseException) -> None:
        if not isinstance(error, StoreAway):
            _log.error("internal_error", exc_info=error)
        refusal = store_away() if isinstance(error, StoreAway) else of_status(500)
        headers = {**refusal.headers, "content-type": PROBLEM_JSON}
        self._send(head_of(refusal.status, headers), refusal.body(self._process.settings.base_url))

    def _send(self, head: str, body: bytes) -> None:
        """Send an answer as Sanic would; one that stops the connection, too, once the process stops."""
        quiet = self._process.quiet_now
        kept = "close" if quiet else "keep-alive"
        self._transport.write(f"{head}content-length: {len(body)}\r\nconnection: {kept}\r\n\r\n".encode() + body)
        self._time = monotonic()
        if quiet:
            self.close()


def head_of(status: int, headers: Mapping[str, str]) -> str:
    """The head of an answer, without the length of its body and whether the connection is kept."""
    return "\r\n".join((f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *map(": ".join, headers.items()), ""))

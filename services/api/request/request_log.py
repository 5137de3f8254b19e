"""The access log: one JSON line per request, encoded and written in batches.

It never contains tokens, bodies, query strings or raw paths, and no request waits for standard output.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

from .line_writer import STDOUT
from .telemetry import TOKEN

BATCH_LINES: Final = 500
BATCH_SECONDS: Final = 0.2

TOKEN_PATTERN: Final = re.compile(TOKEN.encode())
encoder: Final = msgspec.json.Encoder()

Entry = tuple[float, str, str, int, float, str, str | None, int]


class Line(msgspec.Struct, gc=False):
    """One line of the log of requests, as it is written."""

    timestamp: datetime
    level: str
    event: str
    process: str
    operation: str
    method: str
    status: int
    seconds: float
    request_id: str
    agent: str | None
    bytes_out: int


class RequestLog:
    """Collects lines and writes them every 200 ms, or as soon as there are 500.

    Not thread-safe: call `add` only in the thread of the event loop.
    """

    def __init__(
        self,
        process: str,
        level: str = "info",
        write: Callable[[bytes], None] = STDOUT.write,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Request lines have the level info: with `level` "warning" or "error" none are written."""
        self.process = process
        self.wanted = level in ("debug", "info")
        self.write = write
        self.clock = clock
        self.entries: list[Entry] = []
        self.timer: asyncio.TimerHandle | None = None

    def add(
        self,
        operation: str,
        method: str,
        status: int,
        seconds: float,
        request_id: str,
        agent: str | None,
        bytes_out: int,
    ) -> None:
        """Add one request: `operation` is its declared name, `agent` the caller's name, `seconds` its duration."""
        entries = self.entries
        entries.append((self.clock(), operation, method, status, seconds, request_id, agent, bytes_out))
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(BATCH_SECONDS, self.flush)
        elif len(entries) >= BATCH_LINES:
            self.flush()

    def flush(self) -> None:
        """Pass all collected lines to the writer; must also be called when the process stops."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        entries, self.entries = self.entries, []
        if entries and self.wanted:
            # A request id may come from a client, and could contain a token.
            self.write(TOKEN_PATTERN.sub(b"agb_[redacted]", self.encode_line(entries)))

    def encode_line(self, entries: Iterable[Entry]) -> bytes:
        try:
            return encoder.encode_lines([line(self.process, entry) for entry in entries])
        except UnicodeEncodeError:
            return encoder.encode_lines([line(self.process, encodable(entry)) for entry in entries])


def line(process: str, entry: Entry) -> Line:
    moment, operation, method, status, seconds, request_id, agent, bytes_out = entry
    when = datetime.fromtimestamp(moment, UTC)
    seconds = int(seconds * 1e6) / 1e6  # round() costs three times as much
    return Line(when, "info", "request", process, operation, method, status, seconds, request_id, agent, bytes_out)


def encodable(entry: Entry) -> Entry:
    """Return the entry with lone surrogates escaped; a client's request id may contain some."""
    *head, request_id, agent, bytes_out = entry
    clean = request_id.encode("utf-8", "backslashreplace").decode("utf-8")
    return (*head, clean, agent, bytes_out)  # type: ignore[return-value]

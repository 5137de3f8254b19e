"""The access log: one JSON line per request, encoded and written in batches.

It never contains tokens, bodies, query strings or raw paths, and no request waits for standard output.
"""

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec

from services.process.line_writer import STDOUT

BATCH_LINES: Final = 500
BATCH_SECONDS: Final = 0.2

encoder: Final = msgspec.json.Encoder()


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
        self.lines: list[Line] = []
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
        now = datetime.fromtimestamp(self.clock(), UTC)
        seconds = int(seconds * 1e6) / 1e6  # round() costs three times as much
        facts = operation, method, status, seconds, request_id, agent, bytes_out
        self.lines.append(Line(now, "info", "request", self.process, *facts))
        if self.timer is None:
            self.timer = asyncio.get_running_loop().call_later(BATCH_SECONDS, self.flush)
        elif len(self.lines) >= BATCH_LINES:
            self.flush()

    def flush(self) -> None:
        """Pass all collected lines to the writer; must also be called when the process stops."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        lines, self.lines = self.lines, []
        if lines and self.wanted:
            self.write(encoder.encode_lines(lines))

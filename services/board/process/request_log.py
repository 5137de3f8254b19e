"""The access log: one JSON line per request, encoded and written in batches.

It has no place for tokens, bodies, query strings or raw paths, and must never make a request wait for standard output.
"""

import asyncio
import re
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final

import msgspec

from services.board.process.line_writer import STDOUT
from services.board.process.telemetry import TOKEN

BATCH_LINES: Final = 500
BATCH_SECONDS: Final = 0.2

_TOKEN: Final = re.compile(TOKEN.encode())
_encoder: Final = msgspec.json.Encoder()

Entry = tuple[float, str, str, int, float, str, str | None, int]


class _Line(msgspec.Struct, gc=False):
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
    """Collects what was answered and writes it every 200 ms, or as soon as 500 lines have come together.

    Not for several threads: `add` belongs to the thread of the event loop.
    """

    def __init__(
        self,
        process: str,
        level: str = "info",
        write: Callable[[bytes], None] = STDOUT.write,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Request lines are of level info: with `level` warning or error nothing is written."""
        self._process = process
        self._wanted = level in ("debug", "info")
        self._write = write
        self._clock = clock
        self._entries: list[Entry] = []
        self._timer: asyncio.TimerHandle | None = None

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
        """Note one answered request; `operation` is its declared name and `agent` the caller's name, if it had one."""
        entries = self._entries
        entries.append((self._clock(), operation, method, status, seconds, request_id, agent, bytes_out))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH_SECONDS, self.flush)
        elif len(entries) >= BATCH_LINES:
            self.flush()

    def flush(self) -> None:
        """Hand everything noted so far to the writer; to be called once more when the process stops."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        entries, self._entries = self._entries, []
        if entries and self._wanted:
            # The fields are ours, but a request id may come from outside: a token there must not get through.
            self._write(_TOKEN.sub(b"agb_[redacted]", self._encode(entries)))

    def _encode(self, entries: Iterable[Entry]) -> bytes:
        try:
            return _encoder.encode_lines([_line(self._process, entry) for entry in entries])
        except UnicodeEncodeError:
            return _encoder.encode_lines([_line(self._process, _encodable(entry)) for entry in entries])


def _line(process: str, entry: Entry) -> _Line:
    moment, operation, method, status, seconds, request_id, agent, bytes_out = entry
    when = datetime.fromtimestamp(moment, UTC)
    seconds = int(seconds * 1e6) / 1e6  # round() costs three times as much
    return _Line(when, "info", "request", process, operation, method, status, seconds, request_id, agent, bytes_out)


def _encodable(entry: Entry) -> Entry:
    """Return the entry with lone surrogates written out; an id from outside may hold some."""
    *head, request_id, agent, bytes_out = entry
    clean = request_id.encode("utf-8", "backslashreplace").decode("utf-8")
    return (*head, clean, agent, bytes_out)  # type: ignore[return-value]

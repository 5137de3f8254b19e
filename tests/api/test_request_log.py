"""The access log: one line per request, in batches of bounded time and size, and never a token."""

import asyncio
import json
from typing import Any

from services.process.request_log import BATCH_LINES, BATCH_SECONDS, RequestLog

TOKEN = "agb_" + "A" * 43 + "0DofJ8"


def note(log: RequestLog, **other: Any) -> None:
    fields = {
        "operation": "list_threads",
        "method": "GET",
        "status": 200,
        "seconds": 0.0001239,
        "request_id": "01JB",
        "agent": "alice",
        "bytes_out": 4021,
    }
    log.add(**{**fields, **other})


async def test_a_line_says_what_was_asked_how_it_ended_and_how_long_it_took() -> None:
    written: list[bytes] = []
    log = RequestLog("api", write=written.append, clock=lambda: 1_760_000_000.5)
    note(log)
    note(log, agent=None, operation="create_thread", method="POST", status=201)
    log.flush()
    lines = [json.loads(line) for line in written[0].splitlines()]
    assert lines[0] == {
        "timestamp": "2025-10-09T08:53:20.500000Z",
        "level": "info",
        "event": "request",
        "process": "api",
        "operation": "list_threads",
        "method": "GET",
        "status": 200,
        "seconds": 0.000123,
        "request_id": "01JB",
        "agent": "alice",
        "bytes_out": 4021,
    }
    assert (lines[1]["agent"], lines[1]["status"]) == (None, 201)


async def test_requests_are_written_together_within_the_batch_time() -> None:
    happened: list[bytes] = []
    log = RequestLog("api", write=happened.append)
    loop = asyncio.get_running_loop()
    for _ in range(2):  # the second batch must be timed like the first
        # timers fire in order, however late on a loaded machine
        loop.call_later(BATCH_SECONDS * 0.9, happened.append, b"nine tenths")
        for _ in range(7):
            note(log)
        assert not happened
        await asyncio.sleep(BATCH_SECONDS * 1.1)
        before, batch = happened
        assert (before, batch.count(b"\n")) == (b"nine tenths", 7)
        happened.clear()


async def test_a_full_batch_is_written_at_once_and_only_once() -> None:
    written: list[bytes] = []
    log = RequestLog("api", write=written.append)
    for _ in range(BATCH_LINES + 1):
        note(log)
    assert [batch.count(b"\n") for batch in written] == [BATCH_LINES]
    log.flush()
    log.flush()
    assert [batch.count(b"\n") for batch in written] == [BATCH_LINES, 1]


async def test_a_token_or_a_lone_surrogate_in_a_request_id_does_no_harm() -> None:
    written: list[bytes] = []
    log = RequestLog("api", write=written.append)
    note(log, request_id=TOKEN)
    note(log, request_id="odd \udcff")
    log.flush()
    assert [json.loads(line)["request_id"] for line in written[0].splitlines()] == ["agb_[redacted]", "odd \\udcff"]


async def test_request_lines_are_left_out_when_only_warnings_are_wanted() -> None:
    written: list[bytes] = []
    for level in ("debug", "info", "warning", "error"):
        log = RequestLog(level, level, write=written.append)
        note(log)
        log.flush()
    assert [json.loads(line)["process"] for line in written] == ["debug", "info"]

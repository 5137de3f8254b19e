"""The access log, one line per request, in batches of bounded time and size; and the metrics of requests."""

import asyncio
import json
from typing import Any

import pytest

from services.api.request.accounting import RequestMetrics
from services.api.request.request_log import BATCH_LINES, BATCH_SECONDS, RequestLog
from services.process.metrics import Registry
from tests.metrics import metric


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


async def test_request_lines_are_left_out_when_only_warnings_are_wanted() -> None:
    written: list[bytes] = []
    for level in ("debug", "info", "warning", "error"):
        log = RequestLog(level, level, write=written.append)
        note(log)
        log.flush()
    assert [json.loads(line)["process"] for line in written] == ["debug", "info"]


def test_requests_are_counted_by_operation_and_status_and_timed_by_operation() -> None:
    registry = Registry()
    metrics = RequestMetrics(registry)
    metrics.observe("list_threads", 200, 0.0004)
    metrics.observe("list_threads", 304, 0.2)
    metrics.observe("create_thread", 201, 11)
    metrics.in_flight += 2
    assert metric(registry, 'agent_board_requests_total{operation="list_threads",status="200"}') == 1
    assert metric(registry, 'agent_board_requests_total{operation="list_threads",status="304"}') == 1
    seconds = "agent_board_request_duration_seconds"
    assert metric(registry, f'{seconds}_count{{operation="list_threads"}}') == 2
    assert metric(registry, f'{seconds}_sum{{operation="list_threads"}}') == pytest.approx(0.2004)
    assert metric(registry, f'{seconds}_bucket{{le="0.001",operation="list_threads"}}') == 1
    assert metric(registry, f'{seconds}_bucket{{le="0.25",operation="list_threads"}}') == 2
    assert metric(registry, f'{seconds}_bucket{{le="10.0",operation="create_thread"}}') == 0
    assert metric(registry, f'{seconds}_bucket{{le="+Inf",operation="create_thread"}}') == 1
    assert metric(registry, "agent_board_requests_in_flight") == 2

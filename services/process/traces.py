"""The trace to which the work at hand belongs (W3C Trace Context), and its spans.

Spans are sent only if a variable of ENDPOINTS is set; nothing here imports OpenTelemetry otherwise.
"""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from .lifecycle import StartError

if TYPE_CHECKING:
    from .spans import Spans

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
TRACE: Final = slice(3, 35)
FLAGS: Final = slice(53, 55)
# A version, the id of the trace, that of the caller's span, and flags; later versions may have more behind them.
TRACEPARENT: Final = re.compile(r"(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(-.*)?")

current: ContextVar[str | None] = ContextVar("traceparent", default=None)
"""The traceparent of the request that is being answered: that of its own span, or without spans its caller's."""
spans: "Spans | None" = None


def start(process: str) -> None:
    """Send the spans of a process from now on, if the environment names a collector. Raises StartError."""
    global spans
    for name in [name for name, value in os.environ.items() if name.startswith("OTEL_") and not value]:
        del os.environ[name]  # blank counts as not given
    if not any(name in os.environ for name in ENDPOINTS):
        return
    try:
        from .spans import Spans
    except ModuleNotFoundError as missing:
        raise StartError(
            f"OTEL_EXPORTER_OTLP_ENDPOINT is set, but agent-board[traces] is not installed: {missing}."
        ) from missing
    spans = Spans(process)


def stop() -> None:
    """Send what has not been sent yet, within seconds."""
    global spans
    if spans is not None:
        spans.close()
        spans = None


def read_traceparent(values: Sequence[str]) -> str | None:
    """Return what a `traceparent` header holds, in version 00; None unless it has exactly one valid value."""
    if len(values) != 1:
        return None
    found = TRACEPARENT.fullmatch(values[0])
    if found is None or (found[1] == "00" and found[3] is not None):
        return None
    return f"00-{found[2]}"


def begin(parent: str | None) -> tuple[Any, str | None]:
    """Return the span of a request that has just arrived, and its traceparent: without spans, None and its caller's."""
    if spans is None:
        return None, parent
    span = spans.begin("request", parent)
    return span, spans.traceparent_of(span)


def finish(span: Any, name: str, about: Mapping[str, str | int], failed: bool) -> None:
    """End the span of a request."""
    if spans is not None:
        spans.finish(span, name, about, failed)


def record_step(name: str, began: int, about: Mapping[str, str | int], failed: bool) -> None:
    """Record a step that began at a time in nanoseconds."""
    if spans is not None:
        spans.record(name, began, (), about, failed)


def record_batch(
    name: str, began: int, traced: Iterable[str | None], about: Mapping[str, str | int], failed: bool
) -> None:
    """Record a step with links to the requests for which it was, by their traceparents, if one of them is sampled."""
    if spans is not None:
        links = [each for each in traced if each is not None and is_sampled(each)]
        if links:
            spans.record(name, began, links, about, failed)


def is_sampled(traceparent: str) -> bool:
    return bool(int(traceparent[FLAGS], 16) & 1)


def trace_id(traceparent: str) -> str:
    """Return the id of the trace, which log lines have as `trace_id`."""
    return traceparent[TRACE]

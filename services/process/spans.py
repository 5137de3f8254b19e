"""The spans of a process, sent over OTLP by OpenTelemetry's SDK; its own variables (OTEL_...) configure it.

Only traces.py imports this, because it imports what few processes need.
"""

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, Span, SpanContext, SpanKind, StatusCode, get_current_span
from opentelemetry.trace.propagation import set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from services.contract.checks import CHECKS_MAX

from .release import RELEASE

CLOSE_SECONDS: Final = 3.0
PROPAGATOR: Final = TraceContextTextMapPropagator()


class Spans:
    """Makes spans, and sends them in a thread of its own. Spans that a collector does not take in time are dropped."""

    def __init__(self, process: str) -> None:
        about = {"service.namespace": "agent-board", "service.version": RELEASE}
        if "OTEL_SERVICE_NAME" not in os.environ:
            about["service.name"] = process
        # A batch has a link to each of its requests.
        limits = SpanLimits(max_links=CHECKS_MAX)
        self.provider = TracerProvider(resource=Resource.create(about), span_limits=limits, shutdown_on_exit=False)
        self.provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
        self.tracer = self.provider.get_tracer("agent-board", RELEASE)

    def begin(self, name: str, parent: str | None) -> Span:
        """Return a span of a request, which is part of the caller's trace if it has one."""
        context = PROPAGATOR.extract({"traceparent": parent} if parent else {})
        return self.tracer.start_span(name, context, SpanKind.SERVER)

    def record(self, name: str, began: int, links: Sequence[str], about: Mapping[str, str | int], failed: bool) -> None:
        """Record a span of its own trace, from `began` in nanoseconds until now."""
        linked = [Link(context_of(each)) for each in links]
        span = self.tracer.start_span(name, None, SpanKind.INTERNAL, about, linked, start_time=began)
        self.finish(span, name, {}, failed)

    def finish(self, span: Span, name: str, about: Mapping[str, str | int], failed: bool) -> None:
        """End a span with its final name."""
        span.update_name(name)
        span.set_attributes(about)
        if failed:
            span.set_status(StatusCode.ERROR)
        span.end(time.time_ns())

    def traceparent_of(self, span: Span) -> str:
        """Return the header value by which others refer to a span."""
        carrier: dict[str, str] = {}
        PROPAGATOR.inject(carrier, set_span_in_context(span))
        return carrier["traceparent"]

    def close(self) -> None:
        """Send the rest. A collector that does not answer delays the end by 3 s at most."""
        closing = threading.Thread(target=self.provider.shutdown, daemon=True)
        closing.start()
        closing.join(CLOSE_SECONDS)


def context_of(traceparent: str) -> SpanContext:
    return get_current_span(PROPAGATOR.extract({"traceparent": traceparent})).get_span_context()

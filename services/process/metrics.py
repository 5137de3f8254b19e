"""The registry of a process's metrics, each declared once with a sentence of help, and the metrics of requests.

A reading that raises must not fail the scrape: it is left out and logged.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeVar

import structlog
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import Metric
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from .instruments import SECONDS, Buckets, Count, Distribution, Facts, Instrument, Read, Reading

NAME: Final = re.compile(r"agent_board_[a-z][a-z0-9_]*[a-z0-9]")

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
Kind = TypeVar("Kind", bound=Instrument)


class Registry(Collector):
    """The metrics of one process: its own instruments and, from the kernel, its processor time, memory and files."""

    def __init__(self) -> None:
        self.instruments: dict[str, Instrument] = {}
        self.prometheus = CollectorRegistry(auto_describe=False)
        self.prometheus.register(self)
        ProcessCollector(registry=self.prometheus)

    def count(self, name: str, help_text: str, labels: Sequence[str] = ()) -> Count:
        """Create a counter; its name ends with _total. Raises ValueError for a malformed or repeated name."""
        if not name.endswith("_total"):
            raise ValueError(f"{name} is a counter, so its name must end with _total.")
        return self.register(Count(name, help_text, labels), help_text)

    def distribution(
        self, name: str, help_text: str, bounds: Sequence[float] = SECONDS, labels: Sequence[str] = ()
    ) -> Distribution:
        """Create a histogram; its name ends with the unit (_seconds, _bytes, _posts). Raises ValueError."""
        return self.register(Distribution(name, help_text, bounds, labels), help_text)

    def reading(self, name: str, help_text: str, read: Read, label: str | None = None) -> Reading:
        """Create a value that is read at each scrape: a number, or a mapping with `label`. Raises ValueError."""
        return self.register(Reading(name, help_text, read, label), help_text)

    def facts(self, name: str, help_text: str, facts: Mapping[str, str]) -> Facts:
        """Create a metric with the value 1 and these labels; its name ends with _info. Raises ValueError."""
        return self.register(Facts(name, help_text, facts), help_text)

    def register(self, instrument: Kind, help_text: str) -> Kind:
        name = instrument.name
        if not NAME.fullmatch(name) or not help_text.endswith("."):
            raise ValueError(f"{name} must begin with agent_board_ and be explained by a sentence.")
        if name in self.instruments:
            raise ValueError(f"{name} exists already.")
        self.instruments[name] = instrument
        return instrument

    def collect(self) -> Iterator[Metric]:
        """Yield every instrument as a Prometheus family."""
        for instrument in list(self.instruments.values()):
            try:
                family = instrument.family()
            except Exception:
                log.exception("metric_unreadable", metric=instrument.name)
            else:
                yield family

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return the metrics for a scrape and their content type, in the format that the header `accept` requests."""
        encode, content_type = choose_encoder(accept)
        return encode(self.prometheus), content_type


class RequestMetrics:
    """Rate, errors and duration of requests by operation. The caller raises and lowers `in_flight`."""

    def __init__(self, registry: Registry) -> None:
        self.in_flight = 0
        self.answered = registry.count(
            "agent_board_requests_total", "Requests answered, by operation and status.", ("operation", "status")
        ).values
        self.durations = registry.distribution(
            "agent_board_request_duration_seconds",
            "How long answering took, by operation.",
            labels=("operation",),
        )
        self.lines: dict[str, Buckets] = {}
        registry.reading("agent_board_requests_in_flight", "Requests in flight.", lambda: self.in_flight)

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one response. `operation` is a declared name, never a path; `seconds` >= 0."""
        answered, key = self.answered, (operation, status)
        answered[key] = answered.get(key, 0) + 1
        try:
            line = self.lines[operation]
        except KeyError:
            line = self.lines[operation] = self.durations.line(operation)
        # Inlined instead of calling line.observe, because this runs for every request.
        line.counts[bisect_left(SECONDS, seconds)] += 1
        line.total += seconds

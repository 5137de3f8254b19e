"""The metrics of one process, each named once with a sentence of help, and those of every request that it answers.

Nothing here may fail a scrape: a reading that raises is left out and logged.
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

from services.board.process.instruments import SECONDS, Buckets, Count, Distribution, Facts, Instrument, Read, Reading

_NAME: Final = re.compile(r"agent_board_[a-z][a-z0-9_]*[a-z0-9]")

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
_Kind = TypeVar("_Kind", bound=Instrument)


class Registry(Collector):
    """What one process measures: its own instruments and, from the kernel, its processor time, memory and files."""

    def __init__(self) -> None:
        self._instruments: dict[str, Instrument] = {}
        self._prometheus = CollectorRegistry(auto_describe=False)
        self._prometheus.register(self)
        ProcessCollector(registry=self._prometheus)

    def count(self, name: str, says: str, labels: Sequence[str] = ()) -> Count:
        """Make a number that only rises; the name ends with _total. Raises ValueError for a bad or used name."""
        if not name.endswith("_total"):
            raise ValueError(f"{name} counts, so its name must end with _total.")
        return self.register(Count(name, says, labels), says)

    def distribution(
        self, name: str, says: str, bounds: Sequence[float] = SECONDS, labels: Sequence[str] = ()
    ) -> Distribution:
        """Make a histogram; the name ends with its unit (_seconds, _bytes, _posts). Raises ValueError."""
        return self.register(Distribution(name, says, bounds, labels), says)

    def reading(self, name: str, says: str, read: Read, label: str | None = None) -> Reading:
        """Make a value that is looked up at each scrape: a number, or with `label` a mapping. Raises ValueError."""
        return self.register(Reading(name, says, read, label), says)

    def facts(self, name: str, says: str, facts: Mapping[str, str]) -> Facts:
        """Make a line that is always 1 and carries these labels; the name ends with _info. Raises ValueError."""
        return self.register(Facts(name, says, facts), says)

    def register(self, instrument: _Kind, says: str) -> _Kind:
        name = instrument.name
        if not _NAME.fullmatch(name) or not says.endswith("."):
            raise ValueError(f"{name} must begin with agent_board_ and be explained by a sentence.")
        if name in self._instruments:
            raise ValueError(f"{name} exists already.")
        self._instruments[name] = instrument
        return instrument

    def collect(self) -> Iterator[Metric]:
        """Yield every instrument as a Prometheus family."""
        for instrument in list(self._instruments.values()):
            try:
                family = instrument.family()
            except Exception:  # noqa: BLE001 - one broken reading must not cost the scrape
                _log.exception("A metric could not be read.", metric=instrument.name)
            else:
                yield family

    def exposition(self, accept: str = "") -> tuple[bytes, str]:
        """Return the page that Prometheus scrapes and its content type, in the format that `accept` asks for."""
        encode, content_type = choose_encoder(accept)
        return encode(self._prometheus), content_type


class RequestMetrics:
    """Rate, errors and duration of requests, by declared operation; `in_flight` is raised and lowered by the caller."""

    def __init__(self, registry: Registry) -> None:
        self.in_flight = 0
        self._answered = registry.count(
            "agent_board_requests_total", "Requests answered, by operation and status.", ("operation", "status")
        ).values
        self._durations = registry.distribution(
            "agent_board_request_duration_seconds",
            "How long answering took, by operation.",
            labels=("operation",),
        )
        self._lines: dict[str, Buckets] = {}
        registry.reading(
            "agent_board_requests_in_flight", "Requests that are being answered now.", lambda: self.in_flight
        )

    def observe(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer. `operation` is a declared name, never a path; `seconds` >= 0."""
        answered, key = self._answered, (operation, status)
        answered[key] = answered.get(key, 0) + 1
        try:
            line = self._lines[operation]
        except KeyError:
            line = self._lines[operation] = self._durations.line(operation)
        # Written out rather than called: this runs for every request.
        line.counts[bisect_left(SECONDS, seconds)] += 1
        line.total += seconds

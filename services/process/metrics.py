"""The registry of a process's metrics, values that are read at each scrape, and the metrics of every process.

Metrics are those of prometheus-client. Label values come from a short, closed list in the code, never from a client.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Final

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, disable_created_metrics
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.contract.operations import INTERFACE_VERSION

from .line_writer import STDOUT
from .release import RELEASE

LAG_INTERVAL_SECONDS: Final = 0.25
SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The bucket bounds of every histogram of times, in seconds."""

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)

disable_created_metrics()


class Registry(CollectorRegistry):
    """The metrics of one process: its own and, from the kernel, its processor time, memory and files."""

    def __init__(self) -> None:
        super().__init__()
        ProcessCollector(registry=self)
        self.background_errors = Counter(
            "agent_board_background_errors_total",
            "Errors in tasks on which a whole process depends, by task. The tasks continued.",
            ["task"],
            registry=self,
        )

    def record_error(self, task: str, error: Exception) -> None:
        """Log and count an error that a task of the whole process survived.

        An error about one connection, call or row must never end such a task. `task` is its name, from a short list in
        the code. Its series exists from the start, because an alert does not see the first error of a new series.
        """
        log.error("background_error", task=task, exc_info=error)
        self.background_errors.labels(task).inc()


class Reading(Collector):
    """What `read` returns at each scrape: a number or, with `label`, a mapping from values of that label to numbers.

    It is a gauge, or a counter if its name ends with _total; then it must never decrease. If `read` raises, the metric
    is missing from that scrape, and the error is logged.
    """

    def __init__(
        self,
        name: str,
        help_text: str,
        read: Callable[[], float | Mapping[str, float]],
        label: str | None = None,
        *,
        registry: Registry,
    ) -> None:
        self.name = name
        self.help_text = help_text
        self.read = read
        self.labels = (label,) if label else ()
        registry.register(self)

    def describe(self) -> list[Metric]:
        """Return the metric without values; the registry refuses a second one of its name."""
        return [self.family()]

    def collect(self) -> Iterator[Metric]:
        """Yield the metric with its present values."""
        family = self.family()
        try:
            found = self.read()
        except Exception:
            log.exception("metric_unreadable", metric=self.name)
            return
        for label, value in found.items() if isinstance(found, Mapping) else [("", found)]:
            family.add_metric((label,) if self.labels else (), value)
        yield family

    def family(self) -> CounterMetricFamily | GaugeMetricFamily:
        kind = CounterMetricFamily if self.name.endswith("_total") else GaugeMetricFamily
        return kind(self.name, self.help_text, labels=self.labels)


def measure_vitals(registry: Registry, process: str) -> Histogram:
    """Register the metrics of every process; return the histogram that follow_loop_lag fills."""
    build = {"version": RELEASE, "interface_version": INTERFACE_VERSION, "process": process}
    Gauge("agent_board_build_info", "The version of the process.", build, registry=registry).labels(**build).set(1)
    Reading(
        "agent_board_log_lines_lost_total",
        "Log lines dropped because standard output was too slow or closed.",
        lambda: STDOUT.lost,
        registry=registry,
    )
    return Histogram(
        "agent_board_event_loop_lag_seconds",
        "How late the event loop ran due callbacks.",
        buckets=SECONDS,
        registry=registry,
    )


async def follow_loop_lag(
    lag: Histogram,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Observe four times a second, until cancelled, by how many seconds a sleep was late.

    `clock` returns seconds that never decrease.
    """
    while True:
        due = clock() + LAG_INTERVAL_SECONDS
        await sleep(LAG_INTERVAL_SECONDS)
        lag.observe(max(0.0, clock() - due))

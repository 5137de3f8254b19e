"""The metrics of every process: its build, the lag of its event loop, and lost log lines."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from prometheus_client import Gauge, Histogram

from services.contract.operations import INTERFACE_VERSION

from .line_writer import STDOUT
from .metrics import SECONDS, Reading, Registry
from .release import RELEASE

LAG_INTERVAL_SECONDS = 0.25


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

"""What every process measures about itself: its build, the lateness of its event loop, the log lines that it lost."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from importlib.metadata import PackageNotFoundError, version

from services.board.contract.operations import INTERFACE_VERSION
from services.board.process.instruments import Distribution
from services.board.process.line_writer import STDOUT
from services.board.process.metrics import Registry

LAG_INTERVAL_SECONDS = 0.25


def measure_vitals(registry: Registry, process: str) -> Distribution:
    """Name the metrics of every process; return the distribution that follow_loop_lag fills."""
    build = {"version": _own_version(), "interface_version": INTERFACE_VERSION, "process": process}
    registry.facts("agent_board_build_info", "Which build of which process this is.", build)
    registry.reading(
        "agent_board_log_lines_lost_total",
        "Log lines dropped because standard output was too slow or gone.",
        lambda: STDOUT.lost,
    )
    return registry.distribution("agent_board_event_loop_lag_seconds", "How late the event loop ran what was due.")


def _own_version() -> str:
    try:
        return version("agent-board")
    except PackageNotFoundError:
        return "unknown"


async def follow_loop_lag(
    lag: Distribution,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.perf_counter,
) -> None:
    """Observe, four times a second and until cancelled, by how many seconds a sleep was overslept."""
    while True:
        due = clock() + LAG_INTERVAL_SECONDS
        await sleep(LAG_INTERVAL_SECONDS)
        lag.observe(max(0.0, clock() - due))

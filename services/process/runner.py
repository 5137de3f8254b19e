"""Runs a process on uvloop, from the configuration of its log to its exit code."""

import asyncio
import ctypes
import os
import signal
import socket
from typing import Any, Final

import structlog
import uvloop

from .lifecycle import STOP_SIGNALS, Lifecycle, Process
from .line_writer import STDOUT
from .metrics import Registry
from .settings import Settings
from .telemetry import configure_logging

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)
# The parameters of mallopt(3).
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
OWN_BLOCK_BYTES: Final = 2**17
HEAP_TOP_BYTES: Final = 2**22


def run(process: Process, settings: Settings, registry: Registry | None = None) -> int:
    """Run a process on uvloop until it is asked to stop; return its exit code, 0 or 1."""
    return_freed_memory()
    configure_logging(process.name, settings.log_level)
    lifecycle = Lifecycle(process, settings, registry or Registry())
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        exit_code = runner.run(run_and_leave_nothing(lifecycle))
    # The loop no longer handles signals: another SIGTERM would turn a clean stop into a death by signal.
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    STDOUT.flush()
    return exit_code


def return_freed_memory() -> None:
    """Let blocks of 128 KiB return to the system when they are freed, and so the top of the heap beyond 4 MiB.

    glibc raises its threshold for such blocks when one is freed, up to 32 MiB. After a few large answers, others would
    come from the heap, where small objects that live longer keep them from returning to the system. Nothing happens
    with a C library that has no mallopt.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, OWN_BLOCK_BYTES)
        mallopt(M_TRIM_THRESHOLD, HEAP_TOP_BYTES)


def new_event_loop() -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    loop.set_exception_handler(report)
    return loop


def report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Report an error of a future that is not awaited."""
    # uvloop goes on with the look-up of a name after its connection was given up, which has been reported.
    if not isinstance(context.get("exception"), socket.gaierror):
        loop.default_exception_handler(context)


async def run_and_leave_nothing(lifecycle: Lifecycle) -> int:
    exit_code = await lifecycle.run()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    # asyncio itself would wait for them indefinitely.
    stuck = (await asyncio.wait(left, timeout=1.0))[1] if left else ()
    if stuck:
        log.warning("tasks_left_behind", tasks=[task.get_name() for task in stuck])
        STDOUT.flush()
        os._exit(exit_code)
    return exit_code

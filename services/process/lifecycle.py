"""Starts, watches and stops a process, in the same order for all processes.

A stop must lose no accepted work: report not ready, wait, stop accepting, finish, close. Every step has a time limit.
"""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, Protocol

import structlog

from .guard import Guard
from .metrics import Registry, follow_loop_lag, measure_vitals
from .operator_port import OperatorPort
from .settings import Settings

STEP_SECONDS: Final = 10.0
"""The time limit of a step of the stop, except the one that finishes work in flight."""
DRAIN_SECONDS = 20.0
"""How long a stop waits for work in flight: no call takes so long, and engines wait longer before they kill."""
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)

log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class StartError(Exception):
    """The reason why a process cannot start, in one sentence for the operator; logged without a traceback."""


class Process(Protocol):
    """The steps of a process's start and stop; each is called once, in this order."""

    @property
    def name(self) -> str:
        """The name in logs and metrics: api, limiter or fanout."""

    async def start(self, lifecycle: "Lifecycle") -> None:
        """Prepare to serve, then listen. A stop may cancel this. Raises StartError."""

    async def ready(self) -> str | None:
        """Return None, or the reason why the process should get no traffic; called only between start and stop."""

    def live(self) -> str | None:
        """Return None, or the reason why only a restart would help; called at any time."""

    async def quiet(self) -> None:
        """From now on ask every client to close its connection, but continue to serve."""

    async def stop_accepting(self) -> None:
        """Close the listener."""

    async def finish(self, seconds: float) -> None:
        """Finish the work in flight. Raises TimeoutError if it takes longer than `seconds`."""

    async def close(self) -> None:
        """Release all resources, pools last. Also called after a start that failed or was cancelled."""


class Lifecycle:
    """One run of a process, from its start to its exit code.

    The keyword arguments exist for tests: `sleep` waits some seconds, `step_seconds` limits a step of the stop, and
    `signals` ask for a stop.
    """

    def __init__(
        self,
        process: Process,
        settings: Settings,
        registry: Registry,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        step_seconds: float = STEP_SECONDS,
        signals: Iterable[int] = STOP_SIGNALS,
    ) -> None:
        self.process = process
        self.settings = settings
        self.sleep = sleep
        self.step_seconds = step_seconds
        self.signals = signals
        self.lag = measure_vitals(registry, process.name)
        self.stop_asked = asyncio.Event()
        self.started = False
        self.exit_code = 0
        host, port = settings.operator_host, settings.operator_port
        guard = Guard(host, settings.internal_names)
        self.operator_port = OperatorPort(host, port, registry, process.live, self.readiness, guard)

    async def run(self) -> int:
        """Run until a stop is requested or something fails; return the exit code, 0 or 1."""
        self.catch_signals(asyncio.get_running_loop())
        lag = asyncio.create_task(follow_loop_lag(self.lag), name="event-loop-lag")
        try:
            if await self.open_operator_port():
                await self.live_until_stopped()
        finally:
            lag.cancel()
            await self.step("stop the operator port", self.operator_port.stop())
        log.info("process_stopped", exit_code=self.exit_code)
        return self.exit_code

    def watch(self, task: "asyncio.Task[Any]") -> None:
        """Stop the process with exit code 1 if this task, which should last, ends before the stop."""
        task.add_done_callback(self.judge_end)

    def on_signal(self, number: int) -> None:
        """Request the stop. Further signals change nothing."""
        if not self.stop_asked.is_set():
            log.info("process_stopping", signal=signal.Signals(number).name)
            self.stop_asked.set()

    def catch_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        # Before anything else, so that a signal during the start is not lost.
        for number in self.signals:
            loop.add_signal_handler(number, self.on_signal, number)

    async def open_operator_port(self) -> bool:
        try:
            await self.operator_port.start()
        except OSError as error:
            host, port = self.settings.operator_host, self.settings.operator_port
            reason = f"The operator port cannot listen on {host}:{port}: {error.strerror or error}."
            self.fail("start_refused", reason=reason)
            return False
        return True

    async def live_until_stopped(self) -> None:
        try:
            if await self.start_process():
                self.started = True
                log.info("process_ready", operator_port=self.operator_port.port)
                await self.stop_asked.wait()
                await self.drain()
        finally:
            await self.step("close", self.process.close())

    async def start_process(self) -> bool:
        """Return whether the process has started; also False if a stop was requested first."""
        start = asyncio.create_task(self.process.start(self), name="start")
        stop = asyncio.create_task(self.stop_asked.wait())
        await asyncio.wait({start, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not start.done():
            start.cancel()
            await asyncio.wait({start}, timeout=self.step_seconds)
            return False
        return self.judge_start(start)

    def judge_start(self, start: "asyncio.Task[None]") -> bool:
        error = asyncio.CancelledError() if start.cancelled() else start.exception()
        if isinstance(error, StartError):
            self.fail("start_refused", reason=str(error))
        elif error is not None:
            self.fail("start_failed", error)
        return error is None

    async def drain(self) -> None:
        process = self.process
        await self.step("quiet", process.quiet())
        await self.sleep(self.settings.drain_notice_seconds)
        await self.step("stop accepting", process.stop_accepting())
        # One second more, so that the process itself can cut off remaining work and report it.
        await self.step("finish", process.finish(DRAIN_SECONDS), DRAIN_SECONDS + 1)

    async def step(self, name: str, step: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
        """Take one step of the stop. The next one follows even if this one fails or is cut short."""
        seconds = self.step_seconds if seconds is None else seconds
        task = asyncio.create_task(step, name=name)
        await asyncio.wait({task}, timeout=seconds)
        error = task.exception() if task.done() and not task.cancelled() else None
        if not task.done() or isinstance(error, TimeoutError):
            task.cancel()
            log.warning("stop_step_cut_short", step=name, seconds=seconds)
        elif error is not None:
            self.fail("stop_step_failed", error, step=name)

    async def readiness(self) -> str | None:
        if self.stop_asked.is_set():
            return f"{self.process.name} is stopping."
        if not self.started:
            return f"{self.process.name} is starting."
        return await self.process.ready()

    def judge_end(self, task: "asyncio.Task[Any]") -> None:
        error = None if task.cancelled() else task.exception()
        if not self.stop_asked.is_set():
            self.fail("background_task_ended", error, task=task.get_name())
            self.stop_asked.set()
        elif error is not None:
            log.warning("background_task_failed", task=task.get_name(), exc_info=error)

    def fail(self, event: str, error: BaseException | None = None, **facts: object) -> None:
        self.exit_code = 1
        log.error(event, exc_info=error, **facts)

"""Starts, watches and stops a process, in the same order for all processes.

A stop must lose no accepted work: report not ready, wait, stop accepting, finish, close. Every step has a time limit.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, NoReturn, Protocol

import structlog
from aiohttp import web

from .guard import Guard
from .line_writer import STDOUT
from .metrics import Registry
from .operator_port import OperatorPort
from .settings import Settings
from .vitals import follow_loop_lag, measure_vitals

STEP_SECONDS: Final = 10.0
"""The time limit of a step of the stop, except the one that finishes work in flight."""
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
INTERRUPTS_THAT_FORCE: Final = 3

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


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

    `routes` are added to the operator port. The other keyword arguments exist for tests: `sleep` waits some seconds,
    `step_seconds` limits a step of the stop, `signals` ask for a stop, and `force` ends the process immediately.
    """

    def __init__(
        self,
        process: Process,
        settings: Settings,
        registry: Registry,
        routes: Iterable[web.AbstractRouteDef] = (),
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        step_seconds: float = STEP_SECONDS,
        signals: Iterable[int] = STOP_SIGNALS,
        force: Callable[[], None] | None = None,
    ) -> None:
        self._process = process
        self._settings = settings
        self._sleep = sleep
        self._step_seconds = step_seconds
        self._signals = signals
        self._force = force or (lambda: leave_at_once(1))
        self._lag = measure_vitals(registry, process.name)
        self._stop_asked = asyncio.Event()
        self._started = False
        self._interrupts = 0
        self._exit_code = 0
        host, port = settings.operator_host, settings.operator_port
        guard = Guard(host, settings.internal_names, settings.operator_secret)
        self.operator_port = OperatorPort(host, port, registry, process.live, self._ready, routes, guard)

    async def run(self) -> int:
        """Run until a stop is requested or something fails; return the exit code, 0 or 1."""
        self._catch_signals(asyncio.get_running_loop())
        lag = asyncio.create_task(follow_loop_lag(self._lag), name="event-loop-lag")
        try:
            if await self._open_operator_port():
                await self._live()
        finally:
            lag.cancel()
            await self._step("stop the operator port", self.operator_port.stop())
        _log.info("process_stopped", exit_code=self._exit_code)
        return self._exit_code

    def watch(self, task: "asyncio.Task[Any]") -> None:
        """Stop the process with exit code 1 if this task, which should last, ends before the stop."""
        task.add_done_callback(self._judge_end)

    def on_signal(self, number: int) -> None:
        """Request the stop. A second signal changes nothing; the third SIGINT abandons the work in flight."""
        self._interrupts += number == signal.SIGINT
        if self._interrupts >= INTERRUPTS_THAT_FORCE:
            _log.warning("stop_forced")
            self._force()
        elif not self._stop_asked.is_set():
            _log.info("process_stopping", signal=signal.Signals(number).name)
            self._stop_asked.set()

    def _catch_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        # Before anything else, so that a signal during the start is not lost.
        for number in self._signals:
            loop.add_signal_handler(number, self.on_signal, number)

    async def _open_operator_port(self) -> bool:
        try:
            await self.operator_port.start()
        except OSError as error:
            host, port = self._settings.operator_host, self._settings.operator_port
            reason = f"The operator port cannot listen on {host}:{port}: {error.strerror or error}."
            self._fail("start_refused", reason=reason)
            return False
        return True

    async def _live(self) -> None:
        try:
            if await self._start():
                self._started = True
                _log.info("process_ready", operator_port=self.operator_port.port)
                await self._stop_asked.wait()
                await self._drain()
        finally:
            await self._step("close", self._process.close())

    async def _start(self) -> bool:
        """Return whether the process has started; also False if a stop was requested first."""
        start = asyncio.create_task(self._process.start(self), name="start")
        stop = asyncio.create_task(self._stop_asked.wait())
        await asyncio.wait({start, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if not start.done():
            start.cancel()
            await asyncio.wait({start}, timeout=self._step_seconds)
            return False
        return self._judge_start(start)

    def _judge_start(self, start: "asyncio.Task[None]") -> bool:
        error = asyncio.CancelledError() if start.cancelled() else start.exception()
        if isinstance(error, StartError):
            self._fail("start_refused", reason=str(error))
        elif error is not None:
            self._fail("start_failed", error)
        return error is None

    async def _drain(self) -> None:
        process, settings = self._process, self._settings
        await self._step("quiet", process.quiet())
        await self._sleep(settings.drain_notice_seconds)
        await self._step("stop accepting", process.stop_accepting())
        # One second more, so that the process itself can cut off remaining work and report it.
        await self._step("finish", process.finish(settings.drain_seconds), settings.drain_seconds + 1)

    async def _step(self, name: str, step: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
        """Take one step of the stop. The next one follows even if this one fails or is cut short."""
        seconds = self._step_seconds if seconds is None else seconds
        task = asyncio.create_task(step, name=name)
        await asyncio.wait({task}, timeout=seconds)
        error = task.exception() if task.done() and not task.cancelled() else None
        if not task.done() or isinstance(error, TimeoutError):
            task.cancel()
            _log.warning("stop_step_cut_short", step=name, seconds=seconds)
        elif error is not None:
            self._fail("stop_step_failed", error, step=name)

    async def _ready(self) -> str | None:
        if self._stop_asked.is_set():
            return f"{self._process.name} is stopping."
        if not self._started:
            return f"{self._process.name} is starting."
        return await self._process.ready()

    def _judge_end(self, task: "asyncio.Task[Any]") -> None:
        error = None if task.cancelled() else task.exception()
        if not self._stop_asked.is_set():
            self._fail("background_task_ended", error, task=task.get_name())
            self._stop_asked.set()
        elif error is not None:
            _log.warning("background_task_failed", task=task.get_name(), exc_info=error)

    def _fail(self, event: str, error: BaseException | None = None, **facts: object) -> None:
        self._exit_code = 1
        _log.error(event, exc_info=error, **facts)


def leave_at_once(exit_code: int) -> NoReturn:
    """End the process without waiting for anything but the log."""
    STDOUT.flush()
    os._exit(exit_code)

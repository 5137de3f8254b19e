"""Starts, watches and stops a process, in one order for all of them.

A stop must lose nothing that was accepted: not ready, notice, stop accepting, finish, close; every step has its time.
"""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Final, NoReturn, Protocol

import structlog
from aiohttp import web

from services.board.process.line_writer import STDOUT
from services.board.process.metrics import Registry
from services.board.process.operator_port import OperatorPort
from services.board.process.settings import Settings
from services.board.process.telemetry import configure_logging
from services.board.process.vitals import follow_loop_lag, measure_vitals

STEP_SECONDS: Final = 10.0
"""How long a step of the stop may take, other than finishing what is in hand."""
STOP_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
INTERRUPTS_THAT_FORCE: Final = 3

_log: structlog.stdlib.BoundLogger = structlog.stdlib.get_logger(__name__)


class StartError(Exception):
    """Why a process cannot start, in one sentence for the operator; logged without a traceback."""


class Process(Protocol):
    """What a process has to know about its own start and stop; the steps are called in this order, once each."""

    @property
    def name(self) -> str:
        """Its name in logs and metrics: api, limiter, fanout."""

    async def start(self, lifecycle: "Lifecycle") -> None:
        """Become able to serve, then listen. May be cancelled by a stop. Raises StartError."""

    async def ready(self) -> str | None:
        """Return None, or why no traffic should come now; asked only between the start and the stop."""

    def live(self) -> str | None:
        """Return None, or why only a restart would help; asked at any time."""

    async def quiet(self) -> None:
        """From now on ask every client to close its connection, but go on serving."""

    async def stop_accepting(self) -> None:
        """Close the listener."""

    async def finish(self, seconds: float) -> None:
        """Finish what is in hand, within so many seconds. Raises TimeoutError when that was not enough."""

    async def close(self) -> None:
        """Release everything, pools last. Also called after a start that failed or was cut short."""


class Lifecycle:
    """One run of one process, from its first to its last moment."""

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
        self._force = force or (lambda: _leave_at_once(1))
        self._lag = measure_vitals(registry, process.name)
        self._stop_asked = asyncio.Event()
        self._started = False
        self._interrupts = 0
        self._exit_code = 0
        self.operator_port = OperatorPort(
            settings.operator_host, settings.operator_port, registry, process.live, self._ready, routes
        )

    async def run(self) -> int:
        """Live until a stop is asked for or something fails; return the exit code, 0 or 1."""
        self._catch_signals(asyncio.get_running_loop())
        lag = asyncio.create_task(follow_loop_lag(self._lag), name="event-loop-lag")
        try:
            if await self._open_operator_port():
                await self._live()
        finally:
            lag.cancel()
            await self._step("stop the operator port", self.operator_port.stop())
        _log.info("The process has stopped.", exit_code=self._exit_code)
        return self._exit_code

    def watch(self, task: "asyncio.Task[Any]") -> None:
        """Stop the process, with exit code 1, when this task ends before the stop: it is meant to last."""
        task.add_done_callback(self._judge_end)

    def on_signal(self, number: int) -> None:
        """Ask for the stop. A second signal changes nothing; the third SIGINT gives up what is in hand."""
        self._interrupts += number == signal.SIGINT
        if self._interrupts >= INTERRUPTS_THAT_FORCE:
            _log.warning("The stop was forced.")
            self._force()
        elif not self._stop_asked.is_set():
            _log.info("Stopping.", signal=signal.Signals(number).name)
            self._stop_asked.set()

    def _catch_signals(self, loop: asyncio.AbstractEventLoop) -> None:
        # First of all, so that a signal during the start is not lost.
        for number in self._signals:
            loop.add_signal_handler(number, self.on_signal, number)

    async def _open_operator_port(self) -> bool:
        try:
            await self.operator_port.start()
        except OSError as error:
            self._fail(f"The operator port cannot be had: {error.strerror or error}.")
            return False
        return True

    async def _live(self) -> None:
        try:
            if await self._start():
                self._started = True
                _log.info("Ready.", operator_port=self.operator_port.port)
                await self._stop_asked.wait()
                await self._drain()
        finally:
            await self._step("close", self._process.close())

    async def _start(self) -> bool:
        """Return whether the process has started; False as well when a stop came first."""
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
            self._fail(str(error))
        elif error is not None:
            self._fail("The start failed.", error)
        return error is None

    async def _drain(self) -> None:
        process, settings = self._process, self._settings
        await self._step("quiet", process.quiet())
        await self._sleep(settings.drain_notice_seconds)
        await self._step("stop accepting", process.stop_accepting())
        # A second more, so that the process itself can cut off what is left, and say so.
        await self._step("finish", process.finish(settings.drain_seconds), settings.drain_seconds + 1)

    async def _step(self, name: str, step: Coroutine[Any, Any, None], seconds: float | None = None) -> None:
        """Take one step of the stop; whatever becomes of it, the next one follows."""
        seconds = self._step_seconds if seconds is None else seconds
        task = asyncio.create_task(step, name=name)
        await asyncio.wait({task}, timeout=seconds)
        error = task.exception() if task.done() and not task.cancelled() else None
        if not task.done() or isinstance(error, TimeoutError):
            task.cancel()
            _log.warning("A step of the stop was cut short.", step=name, seconds=seconds)
        elif error is not None:
            self._fail("A step of the stop failed.", error, step=name)

    async def _ready(self) -> str | None:
        if self._stop_asked.is_set():
            return f"{self._process.name} is stopping."
        if not self._started:
            return f"{self._process.name} is starting."
        return await self._process.ready()

    def _judge_end(self, task: "asyncio.Task[Any]") -> None:
        error = None if task.cancelled() else task.exception()
        if not self._stop_asked.is_set():
            self._fail("A background task ended before the stop.", error, task=task.get_name())
            self._stop_asked.set()
        elif error is not None:
            _log.warning("A background task failed during the stop.", task=task.get_name(), exc_info=error)

    def _fail(self, sentence: str, error: BaseException | None = None, **facts: object) -> None:
        self._exit_code = 1
        _log.error(sentence, exc_info=error, **facts)


def run(
    process: Process,
    settings: Settings,
    registry: Registry | None = None,
    routes: Iterable[web.AbstractRouteDef] = (),
) -> int:
    """Run a process on uvloop until it is told to stop; return its exit code, 0 or 1."""
    configure_logging(process.name, settings.log_level)
    try:
        import uvloop
    except ImportError:
        _log.error("uvloop is required and is not installed.")
        STDOUT.flush()
        return 1
    lifecycle = Lifecycle(process, settings, registry or Registry(), routes)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        exit_code = runner.run(_run_and_leave_nothing(lifecycle))
    # The loop has given the signals back: another SIGTERM would turn a clean stop into a death by signal.
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    STDOUT.flush()
    return exit_code


async def _run_and_leave_nothing(lifecycle: Lifecycle) -> int:
    exit_code = await lifecycle.run()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    # asyncio itself would wait for them without end.
    stuck = (await asyncio.wait(left, timeout=1.0))[1] if left else ()
    if stuck:
        _log.warning("Tasks that would not be cancelled were left behind.", tasks=[task.get_name() for task in stuck])
        _leave_at_once(exit_code)
    return exit_code


def _leave_at_once(exit_code: int) -> NoReturn:
    STDOUT.flush()
    os._exit(exit_code)

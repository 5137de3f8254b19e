"""The loop that follows the log for one consumer: until stopped, do all available work, then rest.

It must never end by itself: every failure is counted, logged and retried after a growing pause.
"""

import asyncio
import contextlib
import time
from enum import Enum
from typing import Final, Protocol

import asyncpg
import structlog

from services.board.database import connections
from services.board.database.admission import Admission
from services.board.database.failures import is_unavailable
from services.process.metrics import Registry

RESTS: Final = (0.05, 0.1, 0.2, 0.4, 0.5)
"""Seconds of rest after a turn that did all available work, then after one, two, ... turns in a row without work."""
PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds of pause after one, two, ... failures in a row."""
# The server cancels a statement after 5 s, so a connection that is silent for longer is dead.
STEP_SECONDS: Final = connections.COMMAND_SECONDS
# Long enough for a new connection, its admission and a step.
TURN_SECONDS: Final = 17.0
STANDSTILL_SECONDS: Final = 3 * TURN_SECONDS

# A step does not wait for the disk: a crash that loses a step also loses its cursor move, so the step is repeated.
SESSION: Final = {"application_name": "agent-board fanout", "synchronous_commit": "off"}

log = structlog.get_logger()


class Work(Enum):
    """The amount of work that a step found."""

    MORE = "more than it took"
    ALL = "all that it took"
    NONE = "nothing"


class Consumer(Protocol):
    """Data that is derived from the log, step by step."""

    @property
    def name(self) -> str:
        """The name in logs."""

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Process the next posts in one statement. After the result MORE, the next step should follow immediately."""

    def failed(self, error: Exception) -> None:
        """Note a failed turn, before the step is repeated."""


class Worker:
    """Runs one consumer on its own connection to a database, which `admission` admits."""

    def __init__(self, consumer: Consumer, admission: Admission, registry: Registry) -> None:
        self.consumer = consumer
        self.admission = admission
        self.registry = registry
        registry.background_errors.labels(consumer.name)
        self.stopping = asyncio.Event()
        self.connection: asyncpg.Connection | None = None
        self.task: asyncio.Task[None] | None = None
        self.idle = 0  # turns in a row without work
        self.failures = 0  # turns in a row that failed
        self.succeeded: float | None = None  # when the last step succeeded
        self.turned = time.monotonic()

    def start(self) -> "asyncio.Task[None]":
        """Start the loop in a task, which ends only after `stopping` was set."""
        self.task = asyncio.create_task(self.run(), name=f"{self.consumer.name} worker")
        return self.task

    async def run(self) -> None:
        """Take a turn, then rest or pause, until `stopping` is set."""
        while not self.stopping.is_set():
            self.turned = time.monotonic()
            try:
                wait = await self.turn()
            except Exception as error:  # noqa: BLE001 - an error about a failure must not end the loop either
                self.registry.record_error(self.consumer.name, error)
                self.drop()
                wait = PAUSES[-1]
            if wait:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), wait)

    async def turn(self) -> float:
        """Take one step; return how many seconds to wait before the next one."""
        try:
            async with asyncio.timeout(TURN_SECONDS):
                work = await self.consumer.step(await self.connected())
        except Exception as error:  # noqa: BLE001 - the loop continues after any failure
            return self.fail(error)
        self.failures = 0
        self.succeeded = time.monotonic()
        self.idle = self.idle + 1 if work is Work.NONE else 0
        return 0 if work is Work.MORE else RESTS[min(self.idle, len(RESTS) - 1)]

    def fail(self, error: Exception) -> float:
        """Record a failure and drop the connection; return how many seconds to pause before the next turn."""
        self.failures += 1
        self.drop()
        bug = None if is_unavailable(error) else error
        log.warning("step_failed", consumer=self.consumer.name, error=type(error).__name__, exc_info=bug)
        if bug is not None:
            self.registry.background_errors.labels(self.consumer.name).inc()
        self.consumer.failed(error)
        return PAUSES[min(self.failures, len(PAUSES)) - 1]

    async def connected(self) -> asyncpg.Connection:
        if self.connection is None or self.connection.is_closed():
            connection = await connections.writing_connection(self.admission.url, **SESSION)
            self.connection = await self.admission.admitted(connection)
        return self.connection

    def drop(self) -> None:
        if self.connection is not None:
            self.connection.terminate()
            self.connection = None

    def trouble(self) -> str | None:
        """Return the reason why the consumer does not follow the log now, or None."""
        if self.failures:
            return f"The last step of {self.consumer.name} failed."
        if self.succeeded is None or time.monotonic() - self.succeeded > STEP_SECONDS:
            return f"{self.consumer.name} waits for the database."
        return None

    def standstill(self) -> str | None:
        """Return the reason why only a restart would help: a turn has taken impossibly long; or None."""
        if self.task is not None and time.monotonic() - self.turned > STANDSTILL_SECONDS:
            return f"The loop of {self.consumer.name} has been stuck for {STANDSTILL_SECONDS:g} seconds."
        return None

    async def ended(self) -> None:
        """Wait for the step in flight, after `stopping` was set."""
        if self.task is not None:
            await asyncio.wait({self.task})

    async def close(self) -> None:
        """Cancel the loop and close the connection."""
        # First, because a cancelled statement would not wait for the standby any longer, and show its commit.
        self.drop()
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        self.drop()

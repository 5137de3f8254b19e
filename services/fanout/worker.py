"""The loop that follows the log for one consumer: while not stopped, do all there is, then rest.

It must never end by itself: whatever fails is counted, logged and tried again after a growing pause.
"""

import asyncio
import contextlib
import time
from enum import Enum
from typing import Final, Protocol

import asyncpg
import structlog

from services.board import database
from services.board.backends import is_away

RESTS: Final = (0.05, 0.1, 0.2, 0.4, 0.5)
"""Seconds of rest after a turn that did all there was, then after the first, second, ... in a row without work."""
PAUSES: Final = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
"""Seconds of pause after the first, second, ... failure in a row."""
# the server itself ends a statement after 5 s: beyond this, nobody is at the other end of the connection
STEP_SECONDS: Final = 7.0
TURN_SECONDS: Final = database.CONNECT_SECONDS + STEP_SECONDS
STANDSTILL_SECONDS: Final = 3 * TURN_SECONDS

# A step does not wait for the disk: what a crash takes of it, its cursor included, is taken in again.
SESSION: Final = {"application_name": "agent-board fanout", "synchronous_commit": "off"}

log = structlog.get_logger()


class Work(Enum):
    """What a step found to do."""

    MORE = "more than it took"
    ALL = "all that it took"
    NONE = "nothing"


class Consumer(Protocol):
    """Something that is made from the log, step by step."""

    @property
    def name(self) -> str:
        """Its name in logs."""

    async def step(self, connection: asyncpg.Connection) -> Work:
        """Take in the next posts in one statement, and return what there was: more means to continue at once."""

    def failed(self, error: Exception) -> None:
        """Take note of a turn that failed, before the same step is tried again."""


class Worker:
    """Runs one consumer over one connection of its own."""

    def __init__(self, consumer: Consumer, url: str) -> None:
        self.consumer = consumer
        self.url = url
        self.stopping = asyncio.Event()
        self.connection: asyncpg.Connection | None = None
        self.task: asyncio.Task[None] | None = None
        self.idle = 0  # turns in a row without work
        self.failures = 0  # turns in a row that failed
        self.succeeded: float | None = None  # when a step last did
        self.turned = time.monotonic()

    def start(self) -> "asyncio.Task[None]":
        """Begin; the task ends only after `stopping` was set."""
        self.task = asyncio.create_task(self.run(), name=f"{self.consumer.name} worker")
        return self.task

    async def run(self) -> None:
        """Turn, then rest or pause, until told to stop."""
        while not self.stopping.is_set():
            self.turned = time.monotonic()
            wait = await self.turn()
            if wait:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.stopping.wait(), wait)

    async def turn(self) -> float:
        """Take one step, and return how many seconds to wait before the next one."""
        try:
            async with asyncio.timeout(TURN_SECONDS):
                work = await self.consumer.step(await self.connected())
        except Exception as error:  # noqa: BLE001 - the loop goes on, whatever it is
            return self.fail(error)
        self.failures = 0
        self.succeeded = time.monotonic()
        self.idle = self.idle + 1 if work is Work.NONE else 0
        return 0 if work is Work.MORE else RESTS[min(self.idle, len(RESTS) - 1)]

    def fail(self, error: Exception) -> float:
        """Account for a failure, and return how many seconds to pause. The next turn has a connection anew."""
        bug = None if is_away(error) else error
        log.warning("step_failed", consumer=self.consumer.name, error=type(error).__name__, exc_info=bug)
        self.consumer.failed(error)
        self.drop()
        self.failures += 1
        return PAUSES[min(self.failures, len(PAUSES)) - 1]

    async def connected(self) -> asyncpg.Connection:
        if self.connection is None or self.connection.is_closed():
            self.connection = await database.writing_connection(self.url, **SESSION)
        return self.connection

    def drop(self) -> None:
        if self.connection is not None:
            self.connection.terminate()
            self.connection = None

    def trouble(self) -> str | None:
        """Why the consumer does not follow the log now, or None."""
        if self.failures:
            return f"The last step of {self.consumer.name} failed."
        if self.succeeded is None or time.monotonic() - self.succeeded > STEP_SECONDS:
            return f"{self.consumer.name} waits for the database."
        return None

    def standstill(self) -> str | None:
        """Why only a restart would help: no turn may take this long."""
        if self.task is not None and time.monotonic() - self.turned > STANDSTILL_SECONDS:
            return f"The loop of {self.consumer.name} has stood still for {STANDSTILL_SECONDS:g} seconds."
        return None

    async def ended(self) -> None:
        """Return when the step in hand is done, once `stopping` is set."""
        if self.task is not None:
            await asyncio.wait({self.task})

    async def close(self) -> None:
        """End the loop wherever it is, and the connection."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait({self.task})
        self.drop()

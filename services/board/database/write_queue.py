"""The queue of one kind of write: how many may wait, how many of one agent, and for how long nothing was written.

The time of a batch is known when it ends. `Progress` shows a batch that does not end, and one that only ended because
PostgreSQL cancelled it: the next one waits for the same.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, Final, TypeVar

from services.board.errors import OutcomeUnknown, Unavailable
from services.process.metrics import Reading, Registry
from services.process.queue import Queue

from .failures import is_unavailable

# The writes of one agent may take this part of the room that is left: the floods of many agents leave some, too.
# Repeats with a key pass the limiter at any rate.
SHARES: Final = 8
SHARE_MIN: Final = 16
TOO_MANY: Final = "Too many writes are waiting; nothing was changed."
# Writes that are not committed for longer make /api/health unavailable. PostgreSQL cancels each of them sooner.
STALLED_SECONDS: Final = 10.0
# A process without writes learns nothing, so it reports those that were given up no longer than this.
REMEMBERED_SECONDS: Final = 30.0
GIVEN_UP: Final = (Unavailable, OutcomeUnknown, TimeoutError, asyncio.CancelledError)
METRICS: Final = {
    "agent_board_writes_waiting": ("Writes that wait for their turn, by kind.", "waiting"),
    "agent_board_writes_waiting_max": ("How many writes of a kind may wait; the next one is answered 503.", "room"),
    "agent_board_writes_refused_total": (
        "Writes that were answered 503 because too many waited or they waited too long, by kind.",
        "refusals",
    ),
    "agent_board_unfinished_batch_seconds": (
        "For how long writes have waited although none of their kind was committed.",
        "stalled_seconds",
    ),
}
"""The metrics of every queue: their meaning, and the attribute with the value."""

W = TypeVar("W")
R = TypeVar("R")


class Progress:
    """Notes the writes of one kind: when they begin to wait, and whether they get an answer of the database."""

    def __init__(self) -> None:
        self.waiting = 0
        self.since = 0.0  # the end of the last write that was answered, or the begin of the first one after it
        self.given_up = -math.inf  # when the last write ended, unless it was answered

    @contextmanager
    def write(self) -> Iterator[None]:
        """Note one write, from its begin until it is answered or given up. A refusal by the database is an answer."""
        if not self.waiting and not self.remembers():
            self.since = monotonic()
        self.waiting += 1
        answered = True
        try:
            yield
        except BaseException as error:
            answered = not isinstance(error, GIVEN_UP) and not is_unavailable(error)
            raise
        finally:
            self.waiting -= 1
            if answered:
                self.since, self.given_up = monotonic(), -math.inf
            else:
                self.given_up = monotonic()

    def remembers(self) -> bool:
        return monotonic() - self.given_up <= REMEMBERED_SECONDS

    def seconds(self) -> float:
        """Return for how long writes have waited without an answer; 0 if none waits and none was given up lately."""
        if self.waiting:
            return monotonic() - self.since
        return self.given_up - self.since if self.remembers() else 0.0


@dataclass(eq=False)
class WriteQueue(Queue[W, R]):
    """The queue of the writes of one kind, of which at most `room` wait; the other options are those of Queue."""

    room: int = field(kw_only=True)
    refusals: int = field(default=0, init=False)
    agents: Counter[bytes] = field(default_factory=Counter, init=False)  # writes that are not answered yet
    progress: Progress = field(default_factory=Progress, init=False)

    async def write(self, write: W, patience: float, agent: bytes | None = None) -> R:
        """Make a write and return its result.

        Raises what the call raises; Unavailable if nothing was written, because too many writes wait or too many of the
        agent, or because it was not the turn of this one within `patience` seconds; OutcomeUnknown if the process ends.
        """
        with self.progress.write(), self.share(agent):
            return await self.submit(write, patience)

    @contextmanager
    def share(self, agent: bytes | None) -> Iterator[None]:
        """Count a write of an agent until it is answered. Raises Unavailable if too many wait."""
        left = self.room - self.waiting
        if left <= 0 or (agent is not None and self.agents[agent] >= max(SHARE_MIN, left // SHARES)):
            raise self.refused(TOO_MANY)
        if agent is None:
            yield
            return
        self.agents[agent] += 1
        try:
            yield
        finally:
            self.agents[agent] -= 1
            if not self.agents[agent]:
                del self.agents[agent]

    @property
    def stalled_seconds(self) -> float:
        """For how long writes have waited although none was committed."""
        return self.progress.seconds()

    def refused(self, reason: str | None = None) -> Unavailable:
        self.refusals += 1
        return Unavailable(reason)

    def unknown(self) -> OutcomeUnknown:
        return OutcomeUnknown()


def measure_writes(queues: Sequence[WriteQueue[Any, Any]], registry: Registry) -> None:
    """Register the metrics of all queues of a process."""
    for name, (about, attribute) in METRICS.items():
        Reading(name, about, partial(values, queues, attribute), "kind", registry=registry)


def values(queues: Sequence[WriteQueue[Any, Any]], attribute: str) -> dict[str, float]:
    return {queue.name: getattr(queue, attribute) for queue in queues}


def have_stalled(queues: Sequence[WriteQueue[Any, Any]]) -> bool:
    """Return whether no write of a kind was committed in time, although some wait."""
    return any(queue.stalled_seconds > STALLED_SECONDS for queue in queues)

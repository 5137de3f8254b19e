"""The work that many requests wait for, and how long it has been under way."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from services.board.database.write_queue import WriteQueue, measure_writes
from services.process.metrics import Reading, Registry

# Writes that are not committed for longer make /api/health unavailable. PostgreSQL cancels each of them sooner.
STALLED_SECONDS: Final = 10.0
# Everything that many requests wait for has a limit below this one.
STUCK_SECONDS: Final = 60.0


class StalledWork:
    """The queues of writes of a process, and its tasks for which many requests wait: `shared`, by name."""

    def __init__(
        self, writes: Sequence[WriteQueue[Any, Any]], shared: dict[str, Callable[[], float]], registry: Registry
    ) -> None:
        self.queues = writes
        self.shared = shared
        measure_writes(writes, registry)
        Reading(
            "agent_board_unfinished_batch_seconds",
            "The age of the oldest batch that is not finished, by what it is: how long writes of a kind have waited "
            "although none was committed, or how long a call that many requests share has been under way.",
            self.seconds,
            "batch",
            registry=registry,
        )

    def writes(self) -> dict[str, float]:
        """Return for how long writes have waited although none of their kind was committed, by kind."""
        return {queue.name: queue.progress.seconds() for queue in self.queues}

    def seconds(self) -> dict[str, float]:
        """Return the age of the oldest batch that is not finished, by what it is; 0 without any."""
        return self.writes() | {name: busy_seconds() for name, busy_seconds in self.shared.items()}

    def has_stalled(self) -> bool:
        """Return whether no write of a kind was committed in time, although some wait."""
        return max(self.writes().values()) > STALLED_SECONDS

    def stuck(self) -> str | None:
        """Return why only a restart would help: something that many requests wait for is stuck."""
        stuck = (name for name, busy_seconds in self.shared.items() if busy_seconds() > STUCK_SECONDS)
        return next((f"The task {name} has been stuck for {STUCK_SECONDS:g} seconds." for name in stuck), None)

"""The load of the fault matrix in a thread: agents that publish, vote and read while a test disturbs the board.

Afterwards the judges of the history must find nothing.
"""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Self

from tests.chaos.figures import failures, is_rare, longest_pause, unborne
from tests.chaos.row import NOTHING
from tests.history.audited import Audited
from tests.history.callers import Callers
from tests.history.clients import GIVE_UP_SECONDS
from tests.history.ending import settle
from tests.history.judges import judged
from tests.history.traffic import Traffic, read_log

END_SECONDS = GIVE_UP_SECONDS + 30
SHOWN = 3


class LastingTraffic:
    """Runs in its own thread for the duration of the `with` block."""

    def __init__(self, board: Audited) -> None:
        self.board = board
        self.callers = Callers(self.board.urls)
        self.traffic = Traffic(self.callers, self.board)
        self.ending = threading.Event()
        self.running = threading.Event()
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=lambda: asyncio.run(self.run()), name="traffic")

    @property
    def mark(self) -> str:
        """A part of the words of its posts."""
        return self.traffic.mark

    @property
    def failures(self) -> Counter[str]:
        """The calls that had no result, by cause."""
        return failures(self.traffic.history.calls)

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.running.wait(60), self.error
        return self

    def __exit__(self, *_: object) -> None:
        """Wait for the answer to every post in flight, and stop."""
        self.ending.set()
        self.thread.join(END_SECONDS)
        assert not self.thread.is_alive()
        if self.error:
            raise self.error

    def until(self, creations: int, seconds: float = 60) -> None:
        """Wait until this many more posts have been acknowledged."""
        goal, deadline = len(self.traffic.acknowledged) + creations, time.monotonic() + seconds
        while len(self.traffic.acknowledged) < goal:
            assert time.monotonic() < deadline, self.failures
            assert self.thread.is_alive(), self.error
            time.sleep(0.05)

    def check(self, bears: Sequence[str] = NOTHING, seconds: float = 60.0) -> None:
        """Assert that no promise was broken, under a fault that bears these failures.

        The last event may be delivered this many seconds late.
        """
        asyncio.run(self.read_all(seconds))
        judgement = judged(self.traffic.history.calls).items()
        found = [f"{judge}: {what}" for judge, whats in judgement for what in whats[:SHOWN]]
        if not is_rare(self.failures, len(self.traffic.history.calls)):
            found += unborne(self.failures, bears)
        assert not found, "\n".join([*found, *self.callers.examples])
        assert self.traffic.acknowledged, "nothing was acknowledged"

    def figures(self) -> str:
        """Return a summary for the report."""
        failures = ", ".join(f"{count} x {cause}" for cause, count in self.failures.items())
        creations, pause = self.traffic.acknowledged, longest_pause(self.traffic.acknowledged)
        return (
            f"{len(self.traffic.history.calls)} calls, {len(creations)} creations, at most {pause:.1f} s without one, "
            f"failed: {failures or 'none'}"
        )

    async def run(self) -> None:
        try:
            async with self.callers, self.traffic:
                self.running.set()
                await asyncio.to_thread(self.ending.wait)
        except BaseException as error:  # noqa: BLE001 - raised again where the test waits
            self.error = error

    async def read_all(self, seconds: float) -> None:
        async with self.callers:
            await settle(self.traffic, seconds)
            await read_log(self.board, self.traffic)

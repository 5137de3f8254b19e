"""A row of the matrix, and the trial that a fault gets to work on."""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field

from tests.chaos.local_board import LocalBoard
from tests.history.callers import Callers
from tests.history.traffic import Traffic

# the failures that callers may see while a process dies; a load balancer turns a cut connection into an answer
CUT = ("cut", "502", "503", "504")
AWAY = ("503",)
NOTHING: tuple[str, ...] = ()
ANYTHING = ("",)


@dataclass
class Trial:
    """One run of a row: the board, the calls and the load on it, and the fault's own measurements.

    Recovery is measured from `healed`, which is the end of the fault unless the fault sets it. Other faults may happen
    at the same time unless it is `alone`. `chance` decides what the fault leaves open.
    """

    board: LocalBoard
    callers: Callers
    traffic: Traffic
    seconds: float
    began: float = field(default_factory=time.monotonic)
    healed: float = 0.0
    alone: bool = True
    more: dict[str, object] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    chance: random.Random = field(default_factory=random.Random)

    def over(self) -> bool:
        """Whether the time of the fault has passed."""
        return time.monotonic() >= self.began + self.seconds

    async def rest(self) -> None:
        """Return when the time of the fault has passed."""
        await asyncio.sleep(max(0.0, self.began + self.seconds - time.monotonic()))

    def expect(self, holds: bool, what: str) -> None:
        """Note a promise that the fault has seen broken."""
        if not holds:
            self.broken.append(what)


Fault = Callable[[Trial], AbstractAsyncContextManager[None]]


@dataclass(frozen=True)
class Row:
    """A fault or an attack, and the promise that must hold meanwhile.

    The fault begins when its context is entered and has ended when it is left. `bears` are the failures of calls that
    the promise allows, by their first words. `longest` bounds every call, in seconds. A row without a fault is proved
    only by tests.
    """

    name: str
    promise: str
    fault: Fault | None = None
    bears: Sequence[str] = NOTHING
    longest: float = 40.0
    tests: Sequence[str] = ()

"""A circuit breaker: prevents a process from waiting at every call for a server that does not answer."""

import time
from collections.abc import Callable
from typing import Final

FAILURES: Final = 3
PAUSE_SECONDS: Final = 0.5


class Breaker:
    """Opens after three failures in a row; then admits one call per half second, until one succeeds.

    `clock` returns seconds that never decrease.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.failures = 0
        self.next_try = 0.0

    @property
    def open(self) -> bool:
        return self.failures >= FAILURES

    def allows(self) -> bool:
        """Return whether to call now; while the breaker is open, True once per half second."""
        if not self.open:
            return True
        if self.clock() < self.next_try:
            return False
        self.next_try = self.clock() + PAUSE_SECONDS
        return True

    def succeeded(self) -> None:
        self.failures = 0

    def failed(self) -> None:
        self.failures += 1
        self.next_try = self.clock() + PAUSE_SECONDS

"""When the next call of a kind may be made, by the limits that the board reported."""

import re
import time
from collections.abc import Callable, Mapping

# The form in which a board states a limit; any other is ignored, as the specification of the field asks.
STATED = re.compile(r'"[a-z_]{1,40}";r=(\d{1,9});t=(\d{1,9})')
SECONDS_MAX = 86_400
RETRY_AFTER_DEFAULT = 60


class Pace:
    """Remembers which limits are used up, and until when."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def note(self, limit: str, status: int, headers: Mapping[str, str]) -> None:
        """Take note of an answer under a limit."""
        if status == 429:
            self._rest(limit, retry_after(headers) or RETRY_AFTER_DEFAULT)
        elif (stated := STATED.fullmatch(headers.get("RateLimit", ""))) and stated[1] == "0":
            self._rest(limit, int(stated[2]))

    def wait(self, limit: str) -> float:
        """Return the seconds until the next call under a limit may be made."""
        return max(0.0, self._until.get(limit, 0.0) - self._clock())

    def _rest(self, limit: str, seconds: float) -> None:
        self._until[limit] = self._clock() + min(seconds, SECONDS_MAX)


def retry_after(headers: Mapping[str, str]) -> int | None:
    """Return the seconds of `Retry-After`, or None if there are none."""
    value = headers.get("Retry-After", "")
    return min(int(value), SECONDS_MAX) if value.isascii() and value.isdigit() and len(value) < 10 else None

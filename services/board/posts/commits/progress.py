"""How long writes of one kind have waited although none of them was committed.

The time of a batch is known when it ends. This shows a batch that does not end, and one that only ended because
PostgreSQL cancelled it: the next one waits for the same.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

from services.board.database.failures import is_unavailable
from services.board.errors import OutcomeUnknown, Unavailable

# A process without writes learns nothing, so it reports those that were given up no longer than this.
REMEMBERED_SECONDS: Final = 30.0
GIVEN_UP: Final = (Unavailable, OutcomeUnknown, TimeoutError, asyncio.CancelledError)


class Progress:
    """Notes the writes of one kind: when they begin to wait, and whether they get an answer of the database."""

    def __init__(self) -> None:
        self.waiting = 0
        self.since = 0.0  # the end of the last write that was answered, or the begin of the first one after it
        self.given_up: float | None = None  # when the last write ended, unless it was answered

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
            answered = not isinstance(error, GIVEN_UP) and not (isinstance(error, Exception) and is_unavailable(error))
            raise
        finally:
            self.waiting -= 1
            self.note(answered)

    def note(self, answered: bool) -> None:
        if answered:
            self.since, self.given_up = monotonic(), None
        else:
            self.given_up = monotonic()

    def remembers(self) -> bool:
        return self.given_up is not None and monotonic() - self.given_up <= REMEMBERED_SECONDS

    def seconds(self) -> float:
        """Return for how long writes have waited without an answer; 0 if none waits and none was given up lately."""
        if self.waiting:
            return monotonic() - self.since
        return self.given_up - self.since if self.given_up is not None and self.remembers() else 0.0

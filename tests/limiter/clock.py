"""The windows with a clock that the test sets: window.lua itself, except for the line that asks Redis for the time."""

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from services.limiter import window

ASKS = "local time = redis.call('TIME')"
READS = "local moment = redis.call('GET', 'clock') local time = {string.sub(moment, 1, -7), string.sub(moment, -6)}"
SECOND = 1_000_000


class Clock:
    """The time in microseconds that the script sees."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self.moment = 1_800_000_000 * SECOND

    def set(self, moment: int) -> None:
        self.moment = moment
        self.store.set("clock", moment)


@contextmanager
def set_by_hand(store: redis.Redis) -> Iterator[Clock]:
    """While the block lasts, the windows that are made in this process use the clock."""
    real = window.WINDOW
    assert real.count(ASKS) == 1
    window.WINDOW = real.replace(ASKS, READS)  # type: ignore[misc]
    try:
        yield Clock(store)
    finally:
        window.WINDOW = real  # type: ignore[misc]

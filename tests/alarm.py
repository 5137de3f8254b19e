"""Ends a test that hangs: the test fails, and the other tests continue."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the main thread if the block takes more than this number of seconds."""

    def fail(*_: object) -> None:
        raise TimeoutError(f"this test has taken {seconds} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)

"""Ends what hangs: a test that waits for what never comes fails, and does not stop the others."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """Raise TimeoutError in the main thread after so many seconds, unless the block has ended by then."""

    def fail(*_: object) -> None:
        raise TimeoutError(f"this test has taken {seconds} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)

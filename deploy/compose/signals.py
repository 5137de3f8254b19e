"""The signals by which an operator interrupts a command: Ctrl-C, a lost terminal and `kill`."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

INTERRUPTIONS: Final = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


@contextmanager
def ignored() -> Iterator[None]:
    """Ignore them in this process, for steps that only make sense together."""
    before = {each: signal.signal(each, signal.SIG_IGN) for each in INTERRUPTIONS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)

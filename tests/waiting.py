"""Waiting for what another process does."""

import time
from collections.abc import Callable


def wait_until(is_true: Callable[[], bool], seconds: float = 60) -> None:
    """Poll until it is true. Fails after `seconds`, which only a failure would take."""
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)

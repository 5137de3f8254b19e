"""Ends a test that hangs: the test fails, and the other tests continue."""

import signal
from collections.abc import Iterator

import pytest

HANGS_SECONDS = 480


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """Raise TimeoutError in each test of a folder that takes longer. Its conftest.py imports this."""

    def fail(*_: object) -> None:
        raise TimeoutError(f"this test has taken {HANGS_SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(HANGS_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)

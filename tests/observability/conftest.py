"""A test of the monitoring that waits forever fails."""

from collections.abc import Iterator

import pytest

from tests.alarm import alarm

HANGS_SECONDS = 300


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """A test that waits forever fails instead of stopping the others."""
    with alarm(HANGS_SECONDS):
        yield

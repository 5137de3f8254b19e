"""A board under load with its monitoring: real processes, and a real Prometheus that scrapes them."""

from collections.abc import Iterator

import pytest

from tests.alarm import alarm
from tests.observability.stage import Stage

HANGS_SECONDS = 300


@pytest.fixture(autouse=True)
def no_hanging() -> Iterator[None]:
    """A test that waits forever fails instead of stopping the others."""
    with alarm(HANGS_SECONDS):
        yield


@pytest.fixture(scope="module")
def stage(module_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """The whole stage, with callers that do not stop."""
    with Stage(module_database, tmp_path_factory.mktemp("stage")) as scene:
        yield scene

"""The launcher as a process, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.launcher import Launcher


@pytest.fixture(scope="module")
def shared_launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path_factory.mktemp("running") / "state")
    yield launcher
    launcher.clear_away()


@pytest.fixture
def running(shared_launcher: Launcher) -> Launcher:
    """A running board for tests that leave it as it is, or stop it in order."""
    if not shared_launcher.runs:
        shared_launcher.start_and_wait(API_REPLICAS="2", LIMIT_REGISTRATIONS="5/600")
    return shared_launcher


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.clear_away()

"""The launcher as a process, for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.local.launcher import Launcher


@pytest.fixture
def launcher(tmp_path: Path) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path / "state")
    yield launcher
    launcher.clear_away()

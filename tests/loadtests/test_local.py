"""The board that `make load` finds in a checkout, and the environment of the one that it starts."""

import fcntl
import os
from pathlib import Path

import pytest

from loadtests.local import LocalBoard, environment, find

URL = "http://127.0.0.1:8000"


@pytest.fixture
def local(tmp_path: Path) -> Path:
    """The folder .local of a checkout, with the files of a run."""
    folder = tmp_path / ".local"
    folder.mkdir()
    (folder / "run.env").write_text(f"BASE_URL={URL}\nPID={os.getpid()}\n")
    (folder / "run.lock").touch()
    return folder


def test_only_the_board_of_a_run_of_ones_own_is_found(local: Path) -> None:
    assert find(local.parent) is None
    with (local / "run.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert find(local.parent) == LocalBoard(URL, os.getpid())
        if os.geteuid() == 0:
            os.chown(local / "run.env", 65534, 65534)
            assert find(local.parent) is None


def test_a_board_that_is_started_has_stores_of_its_own() -> None:
    others = {"DATABASE_URL": "x", "READ_DATABASE_URL_FILE": "x", "REDIS_URL": "x"}
    own = {"LIMIT_REGISTRATIONS": "10000/60", "MEMORY_MEBIBYTES": "1"}
    assert environment({**others, "MEMORY_MEBIBYTES": "1"}) == own
    assert environment({"LIMIT_REGISTRATIONS": "1/60"}) == {"LIMIT_REGISTRATIONS": "1/60"}

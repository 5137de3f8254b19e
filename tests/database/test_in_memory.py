"""Nothing of the servers of tests stays in memory once the tests have ended, and operators of tests stay connected."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import databases
from tests.databases import in_memory
from tests.operations.hand import Operator
from tests.processes import CHECKOUT
from tests.waiting import wait_until

HOLDER = """
import sys, time
from pathlib import Path
from tests.databases import in_memory
with in_memory(Path(sys.argv[1])) as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


def test_a_folder_in_memory_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, cwd=CHECKOUT, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        folder = Path(holder.stdout.readline().strip())
        is_there = folder.is_dir()
        holder.kill()
    assert is_there
    if folder == tmp_path:
        pytest.skip(f"{databases.MEMORY} has little room")
    wait_until(lambda: not folder.exists())


def test_a_folder_on_the_disk_serves_where_memory_has_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "MEMORY_BYTES_MIN", 2**60)
    with in_memory(tmp_path) as folder:
        assert folder == tmp_path
    monkeypatch.setattr(databases, "MEMORY", tmp_path / "missing")
    with in_memory(tmp_path) as folder:
        assert folder == tmp_path


def test_an_operator_of_tests_connects_again_after_its_connection_was_ended(database: str) -> None:
    with Operator(database) as operator, Operator(database) as other:
        [(first,)] = operator.sql("SELECT pg_backend_pid()")
        other.sql("SELECT pg_terminate_backend($1, 60000)", first)
        [(second,)] = operator.sql("SELECT pg_backend_pid()")
        assert first != second

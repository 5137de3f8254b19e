"""`make check` repeats the tests that failed, once. A test that needs it in two runs fails the check."""

import os
import subprocess
import sys
from pathlib import Path

from deploy.environment import CHECKOUT

TESTS = """
from pathlib import Path

def test_flaky():
    tries = Path(__file__).with_name("tries")
    tries.write_text(tries.read_text() + "x" if tries.exists() else "x")
    assert len(tries.read_text()) % 2 == 0

def test_broken():
    assert not Path(__file__).with_name("broken").exists()

def test_good():
    pass
"""


def run(folder: Path, module: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", module, "-c", "/dev/null", "--rootdir", str(folder), "test_some.py"]
    return remembering(folder, *command)


def remembering(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    remembered = {"SECOND_TRIES": str(folder / "remembered" / "tries.txt"), "PYTHONPATH": str(CHECKOUT)}
    # The plugins of other tools take a second to import.
    env = {**os.environ, **remembered, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def at_the_end(folder: Path, known: int) -> str:
    """Return what the pipeline prints at its end."""
    return remembering(folder, str(CHECKOUT / ".ci" / "failures"), str(known)).stdout


def test_a_test_that_needs_a_second_try_in_two_runs_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    assert run(tmp_path, "pytest").returncode == 1
    first = run(tmp_path, "tests.second_try")
    assert first.returncode == 0, first.stdout
    assert first.stdout.endswith("Passed only at the second try:\n  test_some.py::test_flaky\n")

    assert run(tmp_path, "pytest").returncode == 1
    second = run(tmp_path, "tests.second_try")
    assert second.returncode == 1
    assert "Needed a second try before. Find the fault:\n  test_some.py::test_flaky\n" in second.stdout
    # the file should name the test once for each run
    assert (tmp_path / "remembered" / "tries.txt").read_text() == "test_some.py::test_flaky\n" * 2
    end = "Failed, also at the second try:\nPassed only at the second try:\n  test_some.py::test_flaky\n"
    assert at_the_end(tmp_path, 1) == end


def test_a_test_that_fails_twice_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "broken").touch()
    assert run(tmp_path, "pytest").returncode == 1
    assert run(tmp_path, "tests.second_try").returncode == 1
    failed = "Failed, also at the second try:\n  test_some.py::test_broken\nPassed only at the second try:\n"
    # one of the tests is broken, the other one was
    assert at_the_end(tmp_path, 0) == f"{failed}  test_some.py::test_flaky\n"


def test_nothing_is_repeated_where_no_test_failed(tmp_path: Path) -> None:
    """A run that pytest could not begin should not pass because nothing is left to repeat."""
    (tmp_path / "test_some.py").write_text("syntax error")
    (tmp_path / "conftest.py").write_text("raise SystemExit(3)")
    assert run(tmp_path, "pytest").returncode != 0
    assert run(tmp_path, "tests.second_try").returncode != 0

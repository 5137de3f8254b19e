"""Creating the environment prints little and installs only what is needed, and a failure names what to check."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clients.generator.__main__ import sources
from deploy.environment import CHECKOUT
from services.local.state import State

NOBODY = 65534
FILES = ("Makefile", "bootstrap.txt", "pyproject.toml", "uv.lock", "README.md", "LICENSE")


@pytest.fixture
def checkout() -> Iterator[Path]:
    """A copy of the files that create the environment, as Git has them, in a folder that every user may enter."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "checkout"
        copy.mkdir()
        Path(folder).chmod(0o755)
        for name in FILES:
            shutil.copy(CHECKOUT / name, copy)
        (copy / "deploy").mkdir()
        for name in ("__init__.py", "environment.py"):
            shutil.copy(CHECKOUT / "deploy" / name, copy / "deploy")
        for folder in ("clients", "services"):
            shutil.copytree(CHECKOUT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__", "client"))
        for path in sources():
            (copy / path.relative_to(CHECKOUT)).unlink()
        yield copy


def install(checkout: Path, target: str) -> None:
    """Run make with the index that this machine uses."""
    index = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_"))}
    done = make(checkout, target, user=None, **index)
    assert done.returncode == 0, done.stdout + done.stderr


def make(checkout: Path, *arguments: str, user: int | None = None, **env: str) -> "subprocess.CompletedProcess[str]":
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "PIP_", "UV_"))}
    return subprocess.run(
        ["make", *arguments], cwd=checkout, env={**outside, "PYTHONDONTWRITEBYTECODE": "1", **env}, user=user,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.slow  # installs all packages
def test_a_run_and_the_tests_may_start_in_the_same_second(checkout: Path) -> None:
    """Both need .venv: one of them installs its packages, and the other adds what is missing."""
    targets = [".venv/run", ".venv/ready"] * 2
    with ThreadPoolExecutor() as pool:
        list(pool.map(install, [checkout] * 4, targets))
    for program in ("agent-board", "board", "pytest"):
        assert (checkout / ".venv" / "bin" / program).exists()
    # the packages of developers should stay, and nothing should be left to do
    assert [make(checkout, "-q", target).returncode for target in targets] == [0] * 4
    (checkout / "uv.lock").touch()
    install(checkout, ".venv/run")
    assert (checkout / ".venv" / "bin" / "pytest").exists()
    assert make(checkout, "-q", ".venv/ready").returncode == 0


@pytest.mark.parametrize("target", ["run", "test"])
def test_a_read_only_folder_is_one_sentence(checkout: Path, target: str) -> None:
    checkout.chmod(0o555)
    try:
        done = make(checkout, target, user=NOBODY if os.geteuid() == 0 else None)
    finally:
        checkout.chmod(0o755)
    assert done.returncode != 0
    sentence, *rest = done.stderr.strip().splitlines()
    assert sentence.startswith(f"{checkout} is read-only.")
    assert "copy it to a folder in which you may write" in sentence
    assert all(line.startswith("make: ***") for line in rest)


def test_make_clean_refuses_while_a_board_runs(checkout: Path) -> None:
    file = checkout / ".venv" / "pyvenv.cfg"
    file.parent.mkdir()
    file.touch()
    with State(checkout / ".local").held("http://127.0.0.1:8000"):
        done = make(checkout, "clean")
    assert done.returncode != 0
    assert done.stderr.startswith("A board runs from this checkout. Stop it first")
    assert file.exists()
    assert make(checkout, "clean").returncode == 0
    assert not file.exists()

"""Processes that are killed or terminated leave nothing on the machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE

import pytest

from tests.chaos.clocks import SHARED_MEMORY, clocks_in, remove_leftovers

HOLD_DISK = """
import asyncio
from tests.chaos.database import small_disk
from tests.chaos.termination import run_until_terminated

async def hold():
    with small_disk() as disk:
        print(disk, flush=True)
        await asyncio.sleep(60)

run_until_terminated(hold())
"""


@contextmanager
def running(program: str, variables: dict[str, str]) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A program that waits for its input, with the first line that it prints."""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=os.environ | variables, stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdout
        yield process, process.stdout.readline().strip()
        process.kill()


def test_sigterm_unmounts_the_small_disk() -> None:
    with running(HOLD_DISK, {}) as (process, disk):
        if not disk:
            pytest.skip("Only root can make a small disk.")
        assert disk in Path("/proc/mounts").read_text()
        process.terminate()
        assert process.wait(30) == 143
    assert disk not in Path("/proc/mounts").read_text()
    assert not Path(disk).exists()


def test_the_files_of_a_clock_whose_process_was_killed_are_removed(tmp_path: Path) -> None:
    clocks = clocks_in(tmp_path)
    if not clocks:
        pytest.skip("It needs libfaketime.")
    with running("print(flush=True); input()", clocks["api"].variables) as (process, _):
        remove_leftovers()
        assert len(files := list(SHARED_MEMORY.glob(f"*faketime*_{process.pid}"))) == 2
    assert [file for file in files if file.exists()] == files
    remove_leftovers()
    assert [file for file in files if file.exists()] == []

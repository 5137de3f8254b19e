"""Programs that tests run and that the environment in .venv cannot hold, such as HAProxy and promtool."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

# Debian installs HAProxy there, which is not on every user's PATH.
SEARCHED = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])

# Linux sends the death signal when the thread that started a child ends. This one lives as long as the process.
starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starts-children")


def find(name: str) -> str | None:
    """Return the path of a program, from a variable such as PROMTOOL or from PATH."""
    return os.environ.get(name.upper().replace("-", "_")) or shutil.which(name, path=SEARCHED)


def needs(name: str, package: str = "") -> str:
    """Return the path of a program. If it is missing, the test is skipped, or fails in a pipeline.

    Tests that need a program are no part of `make test` without ARGS, which sets FAST.
    """
    if os.environ.get("FAST") == "true":
        pytest.skip(f"{name} is not for make test.")
    path = find(name)
    if path is None:
        missing(f"{name} is missing: install Debian's package {package or name}, or give its path in a variable.")
    return path


def missing(reason: str) -> NoReturn:
    """Skip the test because this machine lacks something. A pipeline must have it, so there the test fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


def spawn(command: Sequence[str | Path], *, env: Mapping[str, str], **more: Any) -> "subprocess.Popen[Any]":
    """Start a program in its own session. The kernel kills it when this process ends, however that happens.

    `more` are arguments of Popen.
    """
    assert shutil.which(command[0], path=env.get("PATH", os.defpath)), f"{command[0]} is missing"
    whole = ["setpriv", "--pdeathsig=SIGKILL", "--", *map(str, command)]
    return starter.submit(lambda: subprocess.Popen(whole, env=dict(env), start_new_session=True, **more)).result()

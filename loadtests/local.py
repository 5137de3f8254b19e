"""The board of `make run` in this checkout: the one that runs, or one that is started for the load test."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from loadtests.errors import InvalidRun

START_SECONDS: Final = 180


@dataclass
class LocalBoard:
    """A board: its address, those of its operator ports by name, and the pid of make run, as far as they are known."""

    url: str
    operator_urls: dict[str, str] = field(default_factory=dict)
    pid: int | None = None


@contextmanager
def running_board(url: str | None, checkout: Path) -> Iterator[LocalBoard]:
    """Yield the board at `url`.

    Without `url`, that is the board of make run; if none runs, one is started and stopped again. Raises InvalidRun.
    """
    found = find(checkout)
    if url is not None:
        yield found if found and found.url == url.rstrip("/") else LocalBoard(url)
    elif found is not None:
        yield found
    else:
        with started(checkout) as found:
            yield found


def find(checkout: Path) -> LocalBoard | None:
    """Return the board that runs from this checkout."""
    try:
        run = json.loads((checkout / ".local/run.json").read_text())
        pid = json.loads((checkout / ".local/run.lock").read_text())["pid"]
        return LocalBoard(run["base_url"], run["operator_urls"], pid)
    except (OSError, ValueError, KeyError):
        return None


@contextmanager
def started(checkout: Path) -> Iterator[LocalBoard]:
    """Start a board for the duration of the context. Raises InvalidRun with the reason when it does not start."""
    print("Starting the board (make run)", flush=True)
    environment = {"LIMIT_REGISTRATIONS": "10000/60", **os.environ}
    command = [sys.executable, "-m", "deploy.local.run"]
    with subprocess.Popen(command, cwd=checkout, env=environment, stdout=subprocess.DEVNULL) as board:
        try:
            yield wait_for(board, checkout)
        finally:
            board.send_signal(signal.SIGINT)
            board.wait()


def wait_for(board: "subprocess.Popen[bytes]", checkout: Path) -> LocalBoard:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if (found := find(checkout)) is not None:
            return found
        if board.poll() is not None:
            break
        time.sleep(0.1)
    raise InvalidRun("The board could not be started; its own message is above.")

"""The board of `make run` in this checkout: the one that runs, or one that is started for the load test."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from loadtests.errors import InvalidRun

START_SECONDS: Final = 180


@contextmanager
def running_board(url: str | None, checkout: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the address of the board and of its operator ports by name, as far as they are known.

    Without `url`, that is the board of make run; if none runs, one is started and stopped again. Raises InvalidRun.
    """
    found = find(checkout)
    if url is not None:
        yield url, found[1] if found and found[0] == url.rstrip("/") else {}
    elif found is not None:
        yield found
    else:
        with started(checkout) as found:
            yield found


def find(checkout: Path) -> tuple[str, dict[str, str]] | None:
    """Return the board that runs from this checkout."""
    try:
        run = json.loads((checkout / ".local/run.json").read_text())
        return run["base_url"], run["operator_urls"]
    except (OSError, ValueError, KeyError):
        return None


@contextmanager
def started(checkout: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Start a board for the duration of the context. Raises InvalidRun with the reason when it does not start."""
    print("Starting the board (make run)", flush=True)
    environment = {"LIMIT_REGISTRATIONS": "10000/3600", **os.environ}
    command = [sys.executable, "-m", "deploy.local.run"]
    with subprocess.Popen(command, cwd=checkout, env=environment, stdout=subprocess.DEVNULL) as board:
        try:
            yield wait_for(board, checkout)
        finally:
            board.send_signal(signal.SIGINT)
            board.wait()


def wait_for(board: "subprocess.Popen[bytes]", checkout: Path) -> tuple[str, dict[str, str]]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if (found := find(checkout)) is not None:
            return found
        if board.poll() is not None:
            break
        time.sleep(0.1)
    raise InvalidRun("The board could not be started; its own message is above.")

"""The board of `make run` in this checkout: the one that runs, or one that is started for the load test."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from loadtests.errors import InvalidRun

CHECKOUT: Final = Path(__file__).parents[1]
START_SECONDS: Final = 180
STORES: Final = {"DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL"}


@dataclass
class LocalBoard:
    """A board: its address, and the pid of make run if that runs it."""

    url: str
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
    """Return the board that this user runs from this checkout; files of others or of a killed run do not count."""
    try:
        with (checkout / ".local/run.lock").open() as lock, (checkout / ".local/run.env").open() as file:
            if os.fstat(file.fileno()).st_uid != os.geteuid() or not is_held(lock):
                return None
            run = dict(line.split("=", 1) for line in file.read().splitlines())
        return LocalBoard(run["BASE_URL"], int(run["PID"]))
    except (OSError, ValueError, KeyError):
        return None


def is_held(lock: TextIO) -> bool:
    """Return whether another process, that of make run, holds a lock."""
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


@contextmanager
def started(checkout: Path) -> Iterator[LocalBoard]:
    """Start a board for the duration of the context. Raises InvalidRun with the reason when it does not start."""
    print("Starting the board (make run), with stores of its own", flush=True)
    command = [sys.executable, "-m", "services.operator", "run", "--state=.local"]
    with subprocess.Popen(command, cwd=checkout, env=environment(os.environ), stdout=subprocess.DEVNULL) as board:
        try:
            yield wait_for(board, checkout)
        finally:
            board.send_signal(signal.SIGINT)
            board.wait()


def environment(outside: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of a board that a load test starts.

    It has those of the environment, but stores of its own: a load test fills no other board by accident.
    """
    settings = {name: value for name, value in outside.items() if name.removesuffix("_FILE") not in STORES}
    return {"LIMIT_REGISTRATIONS": "10000/60", **settings}


def wait_for(board: "subprocess.Popen[bytes]", checkout: Path) -> LocalBoard:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if (found := find(checkout)) is not None:
            return found
        if board.poll() is not None:
            break
        time.sleep(0.1)
    raise InvalidRun("The board could not be started; its own message is above.")

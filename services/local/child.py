"""A child process with its output in a log file.

It must never outlive this process, however this process ends, and must never receive the terminal's Ctrl-C.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from services.local.errors import LocalError
from services.local.users import User

Pause = Callable[[float], None]

LAUNCH = Path(__file__).with_name("launch.py")
# Linux sends the death signal when the *thread* that started the child ends; this thread lives as long as the process.
starter = ThreadPoolExecutor(max_workers=1, thread_name_prefix="starts-children")


class Child:
    """A started program, in its own process group."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        *,
        log: Path,
        env: Mapping[str, str],
        cwd: Path = Path("/"),
        death_signal: signal.Signals = signal.SIGTERM,
        user: User | None = None,
        capabilities: int = 0,
        keep_open: Sequence[int] = (),
    ) -> None:
        """Start the command; its output is appended to the log.

        The child receives death_signal when this process dies. If a user is given, it runs as that user with the
        capabilities in the mask. It and its own children inherit the descriptors in keep_open. Raises OSError if it
        cannot be started.
        """
        self.name = name
        self.log = log
        identity = (user.uid, user.gid) if user else (0, 0)
        numbers = map(str, (os.getpid(), int(death_signal), *identity, capabilities))
        launch = [sys.executable, "-I", "-S", str(LAUNCH), *numbers, *map(str, command)]
        self.process = starter.submit(start, launch, log, env, cwd, keep_open).result()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; the negative signal number if a signal killed it."""
        return self.process.poll()

    def finish(self, pause: Pause) -> int:
        """Wait until it exits by itself and return its exit code. If the pause raises, stop it first."""
        try:
            while (code := self.exit_code) is None:
                pause(0.02)
        except BaseException:
            self.stop()
            raise
        return code

    def ask(self, request: signal.Signals) -> None:
        self.process.send_signal(request)

    def wait(self, seconds: float) -> bool:
        """Return whether it exits within this many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        return self.exit_code is not None

    def stop(self, request: signal.Signals = signal.SIGTERM, seconds: float = 10) -> None:
        """Ask it to exit, and kill it if it has not done so in time."""
        self.ask(request)
        if not self.wait(seconds):
            self.kill()

    def kill(self) -> None:
        if self.exit_code is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()

    def failure(self, what: str = "exited unexpectedly") -> LocalError:
        """Return an error that describes its unexpected end, with its last log lines."""
        return LocalError(f"{self.name} {what}{self.ending()}; {last_lines(self.log)}")

    def ending(self) -> str:
        return "" if self.exit_code is None else f" ({ending(self.exit_code)})"


def ending(code: int) -> str:
    """Return how a program ended, from its exit code or the negative number of a signal."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def stop_together(children: Sequence[Child], seconds: float) -> None:
    """Ask all of them to exit at the same time, and kill those that have not done so in time."""
    deadline = time.monotonic() + seconds
    for child in children:
        child.ask(signal.SIGTERM)
    for child in children:
        if not child.wait(deadline - time.monotonic()):
            child.kill()


def last_lines(log: Path, count: int = 12, width: int = 500) -> str:
    """Return the end of a log file, preceded by its path."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - count * width))
            lines = file.read().decode(errors="replace").splitlines()[-count:]
    except OSError:
        lines = []
    if not lines:
        return f"its log {log} is empty"
    return "\n  ".join([f"the last lines of {log}:", *(line[:width] for line in lines)])


def start(
    launch: list[str], log: Path, env: Mapping[str, str], cwd: Path, keep_open: Sequence[int]
) -> "subprocess.Popen[bytes]":
    with log.open("ab") as output:
        return subprocess.Popen(
            launch,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
            pass_fds=keep_open,
        )

"""A child process with its output in a log file.

It must never outlive this process, however this process ends, and must never receive the terminal's Ctrl-C.
"""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from services.local.errors import LocalError

Pause = Callable[[float], None]

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
        death_signal: signal.Signals = signal.SIGKILL,
        privileges: Sequence[str] = (),
        keep_open: Sequence[int] = (),
    ) -> None:
        """Start the command; its output is appended to the log.

        The child receives death_signal when this process dies. `privileges` are options of setpriv(1), such as another
        user. It and its own children inherit the descriptors in keep_open. Raises OSError if it cannot be started.
        """
        self.name = name
        self.log = log
        launch = ["setpriv", f"--pdeathsig={death_signal.name}", *privileges, "--", *map(str, command)]
        with log.open("ab") as output:
            start = partial(
                subprocess.Popen[bytes], launch, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=dict(env), cwd=cwd, start_new_session=True, pass_fds=keep_open,
            )  # fmt: skip
            self.process = starter.submit(start).result()

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; the negative signal number if a signal killed it."""
        return self.process.poll()

    def wait(self, seconds: float) -> bool:
        """Return whether it exits within this many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(seconds, 0))
        return self.exit_code is not None

    def wait_until(self, is_up: Callable[[], bool], seconds: float, pause: Pause) -> None:
        """Return once it is up. Raises LocalError, with its last log lines, if it exits first or is not up in time."""
        deadline = time.monotonic() + seconds
        while not is_up():
            if self.exit_code is not None:
                raise self.failure("did not start")
            if time.monotonic() > deadline:
                raise self.failure(f"was not ready within {seconds:g} seconds")
            pause(0.02)

    def kill(self) -> None:
        if self.exit_code is None:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()

    def failure(self, what: str) -> LocalError:
        """Return an error that describes its unexpected end, with its last log lines."""
        code = self.exit_code
        return LocalError(f"{self.name} {what}{'' if code is None else f' ({ending(code)})'}; {last_lines(self.log)}")


def ending(code: int) -> str:
    """Return how a program ended, from its exit code or the negative number of a signal."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def stop(children: Sequence[Child], seconds: float, request: signal.Signals = signal.SIGTERM) -> None:
    """Ask all of them to exit at the same time, and kill those that have not done so in time."""
    deadline = time.monotonic() + seconds
    for child in children:
        child.process.send_signal(request)
    for child in children:
        if not child.wait(deadline - time.monotonic()):
            child.kill()


def last_lines(log: Path, count: int = 12, width: int = 500) -> str:
    """Return the end of a log file, preceded by its path."""
    lines = log.read_text(errors="replace").splitlines()[-count:]
    return "\n  ".join([f"the last lines of {log}:", *(line[:width] for line in lines)])

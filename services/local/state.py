"""The files of a run in its folder: a lock, the addresses for the operator's command, data and logs.

Two runs must never share a folder, and files with passwords must never be readable by other users.
"""

import fcntl
import os
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from services.local.errors import LocalError
from services.process.variables import given_value

VARIABLE = "AGENT_BOARD_STATE"
ADDRESSES = "run.env"
LOCK = "run.lock"
CHECKOUT_STATE = Path(__file__).parents[2] / ".local"
"""The folder of `make run`, if this is a checkout."""
LOG_BYTES = 16 * 2**20
"""How long a log of one process may become; the former one is kept, too."""


def state_folder(env: Mapping[str, str]) -> Path:
    """Return the folder that AGENT_BOARD_STATE names, or else agent-board in the user's folder for state.

    That is $XDG_STATE_HOME, or else ~/.local/state (XDG Base Directory Specification). Raises SettingsError if the
    variable is empty, and LocalError if the user has no home.
    """
    if (given := given_value(VARIABLE, env)) is not None:
        return Path(given)
    base = Path(env.get("XDG_STATE_HOME", ""))
    try:
        return (base if base.is_absolute() else Path.home() / ".local" / "state") / "agent-board"
    except RuntimeError:
        raise LocalError("This user has no home: name a folder for data and logs with --state.") from None


def find_run(env: Mapping[str, str]) -> tuple[Path, str] | None:
    """Return the folder of a run and its settings as NAME=VALUE lines, or None if no board runs.

    AGENT_BOARD_STATE names the folder. Without it, that of this checkout comes first, and then the one in the user's
    folder for state. Raises LocalError if the run was killed or its file cannot be read, SettingsError as state_folder.
    """
    for folder in ([] if VARIABLE in env else [CHECKOUT_STATE]) + [state_folder(env)]:
        try:
            text = (folder / ADDRESSES).read_text(errors="replace")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise LocalError(f"{folder / ADDRESSES} cannot be read: {error.strerror}.") from None
        if is_left_behind(folder):
            raise LocalError(f"The run that wrote {folder / ADDRESSES} was killed.")
        return folder, text
    return None


def is_left_behind(folder: Path) -> bool:
    """Return whether the lock of a run exists and no run holds it; others may ask at the same time."""
    try:
        with (folder / LOCK).open() as lock:
            return take(lock.fileno(), fcntl.LOCK_SH)
    except OSError:
        return False


def take(lock: int, kind: int = fcntl.LOCK_EX) -> bool:
    """Take a lock (fcntl) of a file, and return whether no other process keeps this one from it."""
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class State:
    """The directory of a run."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        self.logs = self.directory / "logs"
        self.lock = self.directory / LOCK
        self.addresses_file = self.directory / ADDRESSES

    @contextmanager
    def held(self, base_url: str) -> Iterator[None]:
        """Lock the directory against other runs. Raises LocalError if another run holds the lock."""
        try:
            self.logs.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LocalError(
                f"Cannot write to {error.filename}: {error.strerror}. Name another folder with --state."
            ) from None
        with os.fdopen(descriptor, "r+") as lock:
            if not take(descriptor):
                raise LocalError(f"The board is already running here, {lock.read()}; stop it there.")
            self.addresses_file.unlink(missing_ok=True)
            lock.truncate()
            print(f"at {base_url}, as process {os.getpid()} of {socket.gethostname()}", end="", file=lock, flush=True)
            yield

    def bound(self, log: Path) -> None:
        """Empty a log that is longer than LOG_BYTES; its lines become NAME.log.1. Its process continues writing.

        A log that was removed, or that cannot be emptied, is left: the board must continue.
        """
        with suppress(OSError):
            if log.stat().st_size > LOG_BYTES:
                # A full disk must not keep the log from being emptied.
                with suppress(OSError):
                    shutil.copyfile(log, log.with_suffix(".log.1"))
                os.truncate(log, 0)

    def kept(self, name: str, make: Callable[[], str]) -> Path:
        """Return a private file of the directory, whose content is made once."""
        path = self.directory / name
        if not path.exists():
            put(path, make() + "\n")
        return path

    @contextmanager
    def addresses(self, env: Mapping[str, str]) -> Iterator[None]:
        """Publish the addresses at which commands find the run, for as long as it lasts."""
        put(self.addresses_file, "".join(f"{name}={value}\n" for name, value in env.items()))
        try:
            yield
        finally:
            self.addresses_file.unlink(missing_ok=True)


def put(path: Path, text: str) -> None:
    """Write a private file. Processes that look for it meanwhile find all of it or nothing."""
    unfinished = path.with_suffix(".unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    unfinished.replace(path)

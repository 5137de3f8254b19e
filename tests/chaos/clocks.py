"""Clocks that jump, each of one program and the processes that it starts: libfaketime of Debian.

Only the time of day is set: waiting uses the monotonic clock.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil

from services.local.postgresql import PostgreSQL
from services.local.valkey import Valkey

LIBRARIES = "faketime/libfaketime.so.1"
WITHOUT = "No clock is set: Debian's package faketime is missing."
SHARED_MEMORY = Path("/dev/shm")
SERVICES = ("api", "fanout", "limiter", "valkey", "postgresql")


class Clock:
    """A clock that is right until it is set."""

    def __init__(self, file: Path, library: Path) -> None:
        self.file, self.library = file, library
        self.set(0)

    def set(self, ahead: int) -> None:
        """Let it go ahead of the right time by some seconds, at once for all that use it."""
        unfinished = self.file.with_suffix(".unfinished")
        unfinished.write_text(f"{ahead:+}\n")
        unfinished.chmod(0o644)
        unfinished.rename(self.file)

    @property
    def variables(self) -> dict[str, str]:
        """The variables that a program needs to use it."""
        return {
            "LD_PRELOAD": str(self.library), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }  # fmt: skip


class ClockedPostgreSQL(PostgreSQL):
    """PostgreSQL whose clock can be set, if it has one."""

    clock: Clock | None = None

    def command_line(self) -> list[str | Path]:
        """The command, with the variables of the clock."""
        return with_clock(self.clock, super().command_line())


class ClockedValkey(Valkey):
    """Valkey whose clock can be set, if it has one."""

    clock: Clock | None = None

    def command_line(self) -> list[str | Path]:
        """The command, with the variables of the clock."""
        return with_clock(self.clock, super().command_line())


def remove_leftovers() -> None:
    """Remove the files that the library keeps for each process, of those that were killed. Their names end with it."""
    for file in SHARED_MEMORY.glob("*faketime_s*m_*"):
        if not psutil.pid_exists(int(file.name.rpartition("_")[2])):
            with suppress(OSError):
                file.unlink()


def with_clock(clock: Clock | None, command: list[str | Path]) -> list[str | Path]:
    variables = clock.variables if clock else {}
    return ["/usr/bin/env", *(f"{name}={value}" for name, value in variables.items()), *command]


def clocks_in(folder: Path) -> Mapping[str, Clock]:
    """Return a clock for one replica of each service; none without the library, which a pipeline must have."""
    library = next(Path("/usr/lib").glob(f"*/{LIBRARIES}"), None)
    if library is None:
        assert os.environ.get("CI") != "true", WITHOUT
        print(WITHOUT)
        return {}
    return {service: Clock(folder / f"clock-of-{service}", library) for service in SERVICES}

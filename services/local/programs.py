"""The board's own processes on this machine: how one is started, and started again when it ended."""

import http.client
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from services.local.child import Child, ending
from services.local.server import PACKAGES
from services.local.terminal import say
from services.process.setting_types import address_here

# In start order. They stop in reverse order.
PROGRAMS = ("fanout", "limiter", "api")
FIRST_PAUSE, LONGEST_PAUSE, CALM_SECONDS = 1.0, 60.0, 60.0
"""A process that ended is started after a pause, which doubles until it ran for the last of these."""


class Replica:
    """A process of the board, `python -m services.PROGRAM`, with its own operator port."""

    def __init__(
        self, program: str, number: int, *, log: Path, env: Mapping[str, str], address: tuple[str, int]
    ) -> None:
        """Start the process; `address` is that of its operator port."""
        self.program, self.log, self.address = program, log, address
        self.name = f"{program}-{number}"
        self.env = {**env, "OPERATOR_PORT": str(address[1]), "REUSE_PORT": "true"}
        self.pause = FIRST_PAUSE / 2
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", f"services.{self.program}"]
        self.child = Child(self.name, command, log=self.log, env=self.env, cwd=PACKAGES)
        self.began, self.due = time.monotonic(), 0.0

    @property
    def operator_url(self) -> str:
        """The address of its metrics and health checks."""
        return address_here(*self.address)

    def keep_running(self) -> None:
        """Start it again if it has ended and its pause is over. To be called often."""
        code, now = self.child.exit_code, time.monotonic()
        if code is None:
            return
        if not self.due:
            calm = now - self.began > CALM_SECONDS
            self.pause = FIRST_PAUSE if calm else min(2 * self.pause, LONGEST_PAUSE)
            self.due = now + self.pause
            say(f"{self.name} ended ({ending(code)}) and starts again in {self.pause:g} s; its log is {self.log}.")
        elif now >= self.due:
            self.start()

    def is_ready(self) -> bool:
        """Return whether /readyz answers 200."""
        connection = http.client.HTTPConnection(*self.address, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

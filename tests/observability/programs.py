"""The programs that watch a board, where this machine has them, as servers of a test."""

import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import pytest

from deploy.local.ports import free_port

START_SECONDS = 60
PACKAGES = {
    "promtool": "prometheus",
    "prometheus": "prometheus",
    "amtool": "prometheus-alertmanager",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "prometheus-postgres-exporter": "prometheus-postgres-exporter",
    "prometheus-redis-exporter": "prometheus-redis-exporter",
    "haproxy": "haproxy",
}
"""Each program, by its name in Debian, and its package there."""


def found(name: str) -> str | None:
    """Where a program is: by a variable such as PROMTOOL, or on the PATH."""
    return os.environ.get(name.upper().replace("-", "_")) or shutil.which(name)


def needed(name: str) -> str:
    """Where a program is; without it the test is skipped."""
    path = found(name)
    if path is None:
        pytest.skip(f"{name} is not here: install Debian's package {PACKAGES[name]}, or name it in a variable.")
    return path


def run(name: str, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """What a program says when it is run to its end."""
    command = [needed(name), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


class Program:
    """A server that runs for as long as a test; ready once `path` is answered."""

    def __init__(self, command: Sequence[str | Path], port: int, log: Path, path: str, **env: str) -> None:
        self.command = list(map(str, command))
        self.url = f"http://127.0.0.1:{port}"
        self.address = f"127.0.0.1:{port}"
        self.log = log
        self.path = path
        self.env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), **env}

    def __enter__(self) -> Self:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, env=self.env, cwd=self.log.parent, stdout=log, stderr=log)
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self.answers():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url + self.path, timeout=5):
                return True
        except OSError:
            return False


def postgres_exporter(database_url: str, folder: Path) -> Program:
    """What shows PostgreSQL to Prometheus."""
    port = free_port()
    command = [needed("prometheus-postgres-exporter"), f"--web.listen-address=127.0.0.1:{port}"]
    source = f"{database_url}?sslmode=disable"
    return Program(command, port, folder / "postgres-exporter.log", "/metrics", DATA_SOURCE_NAME=source)


def valkey_exporter(redis_url: str, folder: Path) -> Program:
    """What shows Valkey to Prometheus."""
    port = free_port()
    command = [needed("prometheus-redis-exporter"), "-redis.addr", redis_url, "-web.listen-address"]
    return Program([*command, f"127.0.0.1:{port}"], port, folder / "redis-exporter.log", "/metrics")


HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
frontend public
    bind 127.0.0.1:{port}
    maxconn 1000
    http-request deny if {{ path /denied }}
    default_backend api
backend api
    option httpchk GET /api/health
    server api1 {address} check inter 500ms
frontend metrics
    bind 127.0.0.1:{metrics_port}
    http-request use-service prometheus-exporter
"""


def haproxy(api_address: str, port: int, folder: Path) -> Program:
    """A load balancer before one api, with HAProxy's own metrics."""
    metrics_port = free_port()
    file = folder / "haproxy.cfg"
    file.write_text(HAPROXY.format(port=port, metrics_port=metrics_port, address=api_address))
    return Program([needed("haproxy"), "-db", "-f", file], metrics_port, folder / "haproxy.log", "/metrics")

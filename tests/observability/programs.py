"""The programs that monitor a board, as servers for tests, where they are installed."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import yaml

from services.local.ports import free_port
from tests.processes import CHECKOUT
from tests.programs import needs, spawn

START_SECONDS = STOP_SECONDS = 120
PACKAGES = {
    "promtool": "prometheus",
    "prometheus": "prometheus",
    "amtool": "prometheus-alertmanager",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "prometheus-postgres-exporter": "prometheus-postgres-exporter",
    "prometheus-redis-exporter": "prometheus-redis-exporter",
    "prometheus-node-exporter": "prometheus-node-exporter",
    "prometheus-blackbox-exporter": "prometheus-blackbox-exporter",
    "haproxy": "haproxy",
}
"""Each program, by its name in Debian, and its package there."""


def needed(name: str) -> str:
    """Return the path of one of these programs."""
    return needs(name, PACKAGES[name])


def run(name: str, *arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program to its end and return its output."""
    command = [needed(name), *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=600, check=False)


class Program:
    """A server that runs as long as a test. It is ready as soon as it answers `path`."""

    def __init__(self, command: Sequence[str | Path], port: int, log: Path, path: str, **env: str) -> None:
        self.command = list(map(str, command))
        self.url = f"http://127.0.0.1:{port}"
        self.address = f"127.0.0.1:{port}"
        self.log = log
        self.path = path
        self.env = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", ""), **env}

    def __enter__(self) -> Self:
        with self.log.open("ab") as log:
            self.process = spawn(self.command, env=self.env, cwd=self.log.parent, stdout=log, stderr=log)
        try:
            self.wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
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
    """Exports the metrics of PostgreSQL to Prometheus."""
    port = free_port()
    command = [needed("prometheus-postgres-exporter"), f"--web.listen-address=127.0.0.1:{port}"]
    source = f"{database_url}?sslmode=disable"
    return Program(command, port, folder / "postgres-exporter.log", "/metrics", DATA_SOURCE_NAME=source)


def valkey_exporter(redis_url: str, folder: Path) -> Program:
    """Exports the metrics of Valkey to Prometheus."""
    port = free_port()
    command = [needed("prometheus-redis-exporter"), "-redis.addr", redis_url, "-web.listen-address"]
    return Program([*command, f"127.0.0.1:{port}"], port, folder / "redis-exporter.log", "/metrics")


def node_exporter(folder: Path) -> Program:
    """Exports the metrics of this machine to Prometheus, with the collectors of compose.yaml."""
    port = free_port()
    service = yaml.safe_load((CHECKOUT / "deploy/compose/compose.yaml").read_text())["services"]["node-exporter"]
    options = [option for option in service["command"] if "exclude" not in option and "textfile" not in option]
    command = [needed("prometheus-node-exporter"), f"--web.listen-address=127.0.0.1:{port}", *options]
    return Program(command, port, folder / "node-exporter.log", "/metrics")


def blackbox_exporter(folder: Path) -> Program:
    """Probes what Prometheus asks it to, as the committed configuration describes."""
    port = free_port()
    command = [needed("prometheus-blackbox-exporter"), f"--web.listen-address=127.0.0.1:{port}"]
    file = CHECKOUT / "deploy/observability/blackbox/blackbox.yaml"
    return Program([*command, f"--config.file={file}"], port, folder / "blackbox-exporter.log", "/metrics")


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
    """A load balancer in front of one API process, with HAProxy's own metrics."""
    metrics_port = free_port()
    file = folder / "haproxy.cfg"
    file.write_text(HAPROXY.format(port=port, metrics_port=metrics_port, address=api_address))
    return Program([needed("haproxy"), "-db", "-f", file], metrics_port, folder / "haproxy.log", "/metrics")

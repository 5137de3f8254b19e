"""HAProxy as a test starts it: the real program with the real configuration, before replicas on 127.0.0.2 and on."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

from deploy.compose.haproxy_files import FOLDER
from deploy.local.ports import free_port
from tests.balancer.name_service import NameService

SECONDS = 30
CHECKED = re.compile(r'^haproxy_server_check_status\{proxy="api",server="\w+",state="L7OK"\} 1$', re.MULTILINE)
ACTIVE = re.compile(r'^haproxy_backend_active_servers\{proxy="api"\} (\d+)$', re.MULTILINE)
UNLIMITED = {"REQUESTS_PER_SECOND": "100000", "SEARCHES_PER_SECOND": "100000"}


def program() -> str:
    """The HAProxy that is there, or this test is skipped."""
    found = os.environ.get("HAPROXY") or shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if found is None:
        pytest.skip("There is no haproxy here: install it, or name it with HAPROXY.")
    return found


def version() -> tuple[int, int]:
    """The version of the HAProxy that is there."""
    said = subprocess.run([program(), "-v"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


class Balancer:
    """HAProxy on free ports. It finds the replicas in its name service; variables of the configuration by name."""

    def __init__(self, folder: Path, **variables: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.configuration = FOLDER / "haproxy.cfg"
        self.port = free_port()
        self.metrics_port = free_port()
        self.api_port = free_port()
        self.api_operator_port = free_port()
        self.secure = "TLS_CERTIFICATE" in variables
        self.url = f"http{'s' if self.secure else ''}://127.0.0.1:{self.port}"
        self.names = NameService()
        self.variables = variables
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.names.__enter__()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.names.__exit__()

    @property
    def env(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "LISTEN": f"127.0.0.1:{self.port}",
            "METRICS_LISTEN": f"127.0.0.1:{self.metrics_port}",
            "API_PORT": str(self.api_port),
            "API_OPERATOR_PORT": str(self.api_operator_port),
            "API_REPLICAS_MAX": "4",
            "RESOLVER": f"127.0.0.1:{self.names.port}",
            "BASE_URL": self.url,
            "CHECK_INTERVAL": "500ms",
            **UNLIMITED,
            **self.variables,
        }

    def start(self) -> None:
        """Start HAProxy and return when it serves metrics."""
        command = [program(), "-f", str(self.configuration)]
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = subprocess.Popen(command, env=self.env, stdout=out, stderr=err)
        self.wait_for(lambda: bool(self.metrics()))

    @property
    def out(self) -> Path:
        return self.folder / "haproxy.out"

    @property
    def err(self) -> Path:
        return self.folder / "haproxy.err"

    def name(self, *addresses: str) -> None:
        """Let the name of the api mean these addresses, and return when HAProxy has found all of them ready."""
        self.names.addresses = list(addresses)
        self.wait_until_ready(len(addresses))

    def wait_until_ready(self, count: int) -> None:
        """Return when HAProxy has seen so many replicas ready, and asks no more than these."""

        def is_known() -> bool:
            metrics = self.metrics()
            return len(CHECKED.findall(metrics)) == count and ACTIVE.findall(metrics) == [str(count)]

        self.wait_for(is_known)

    def wait_for(self, happened: Callable[[], bool]) -> None:
        assert self.process is not None
        deadline = time.monotonic() + SECONDS
        while not happened():
            assert self.process.poll() is None, self.err.read_text()
            assert time.monotonic() < deadline, self.err.read_text() + self.metrics()
            time.sleep(0.02)

    def metrics(self) -> str:
        """What Prometheus would read; nothing when HAProxy does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    def served(self) -> list[int]:
        """How many requests each replica has been sent, in the order of the servers' names."""
        found = re.findall(r'haproxy_server_sessions_total{proxy="api",server="(\w+)"} (\d+)', self.metrics())
        return [int(count) for _, count in sorted(found)]

    def log_lines(self) -> list[dict[str, Any]]:
        """Everything that it has logged of requests."""
        whole, _, _ = self.out.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def logged(self, request_id: str) -> dict[str, Any]:
        """The log line of a request."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [line for line in self.log_lines() if line["request_id"] == request_id]
            return bool(found)

        self.wait_for(is_there)
        assert len(found) == 1
        return found[0]

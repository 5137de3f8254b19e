"""HAProxy as a test runs it: the real program and configuration, in front of replicas on 127.0.0.2 and up."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from deploy.compose.haproxy_files import FOLDER
from services.local.ports import free_port
from tests.balancer.name_service import NameService
from tests.lines import whole_lines
from tests.programs import needs, spawn

SECONDS = 120
CHECKED = re.compile(r'^haproxy_server_check_status\{proxy="api",server="\w+",state="L7OK"\} 1$', re.MULTILINE)
ACTIVE = re.compile(r'^haproxy_backend_active_servers\{proxy="api"\} (\d+)$', re.MULTILINE)
USUAL: Mapping[str, str] = {}
UNLIMITED = {"REQUESTS_PER_SECOND": "100000", "SEARCHES_PER_SECOND": "100000"}


def program() -> str:
    """Return the path of HAProxy."""
    return needs("haproxy")


def version() -> tuple[int, int]:
    """Return the version of the installed HAProxy."""
    said = subprocess.run([program(), "-v"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)\.(\d+)", said)
    assert found, said
    return int(found[1]), int(found[2])


def configuration(folder: Path, times: Mapping[str, str]) -> Path:
    """Write the configuration with other times and the files that it reads into a folder; return its path."""
    text = (FOLDER / "haproxy.cfg").read_text()
    for words, value in times.items():
        text, changed = re.subn(rf"\b{words} \d+s\b", f"{words} {value}", text)
        assert changed, words
    shutil.copytree(FOLDER, folder / "configuration")
    path = folder / "configuration" / "haproxy.cfg"
    path.write_text(text)
    return path


class Balancer:
    """HAProxy on free ports, with replicas from a name service. Configuration variables are passed by name.

    `times` are other values of its times, by the words before them.
    """

    def __init__(self, folder: Path, times: Mapping[str, str] = USUAL, /, **variables: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.configuration = configuration(folder, {"inter": "200ms", **times})
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
            **UNLIMITED,
            **self.variables,
        }

    @property
    def command(self) -> list[str]:
        return [program(), "-f", str(self.configuration)]

    def start(self) -> None:
        """Start HAProxy and return when it serves metrics."""
        with self.out.open("wb") as out, self.err.open("wb") as err:
            self.process = spawn(self.command, env=self.env, stdout=out, stderr=err)
        self.wait_for(lambda: bool(self.metrics()))

    @property
    def out(self) -> Path:
        return self.folder / "haproxy.out"

    @property
    def err(self) -> Path:
        return self.folder / "haproxy.err"

    def name(self, *addresses: str) -> None:
        """Resolve the name of the API to these addresses, and return when HAProxy has found all of them ready."""
        self.names.addresses = list(addresses)
        self.wait_until_ready(len(addresses))

    def wait_until_ready(self, count: int) -> None:
        """Return when HAProxy has found this many replicas ready and sends requests to no others."""

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
        """Return the metrics as Prometheus reads them, or an empty text if HAProxy does not answer."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=5) as answer:
                return str(answer.read().decode())
        except OSError:
            return ""

    def served(self) -> list[int]:
        """Return how many requests each replica received, in the order of the servers' names."""
        found = re.findall(r'haproxy_server_sessions_total{proxy="api",server="(\w+)"} (\d+)', self.metrics())
        return [int(count) for _, count in sorted(found)]

    def log_lines(self) -> list[dict[str, Any]]:
        """Return the log lines of all requests."""
        return [json.loads(line) for line in whole_lines(self.out)]

    def logged(self, request_id: str) -> dict[str, Any]:
        """Return the log line of a request."""
        found: list[dict[str, Any]] = []

        def is_there() -> bool:
            found[:] = [line for line in self.log_lines() if line["request_id"] == request_id]
            return bool(found)

        self.wait_for(is_there)
        assert len(found) == 1
        return found[0]

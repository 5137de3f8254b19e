"""HAProxy with TLS in front of a board on this machine, with the configuration of the deployments."""

import argparse
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from loadtests.errors import InvalidRun
from loadtests.local import LocalBoard
from loadtests.servers import DIRECT

CONFIGURATION: Final = Path(__file__).parents[1] / "deploy/compose/haproxy/haproxy.cfg"
DEFAULT: Final = "ECDSA P-256"
KEYS: Final = {"RSA-2048": ("rsa:2048",), DEFAULT: ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")}
START_SECONDS: Final = 30
READY: Final = b'haproxy_backend_active_servers{proxy="api"} 1'
UNLIMITED: Final = {
    "REQUESTS_PER_SECOND": "100000", "SEARCHES_PER_SECOND": "100000", "CONNECTIONS_PER_ADDRESS": "5000",
    "CONNECTIONS_MAX": "5000",
}  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """HAProxy that runs: its address, and that of its metrics."""

    url: str
    metrics: str

    def total(self, name: str) -> int:
        """Return a counter of the frontend. Raises OSError."""
        with DIRECT.open(self.metrics, timeout=5) as answer:
            found = re.search(
                rf'^haproxy_frontend_{name}{{proxy="board"}} (\d+)$', answer.read().decode(), re.MULTILINE
            )
        return int(found[1]) if found else 0


@contextmanager
def in_front_of(board: LocalBoard, options: argparse.Namespace) -> Iterator[None]:
    """Put HAProxy in front of a board of this machine, if the command line has --edge. Raises InvalidRun."""
    if not options.edge:
        yield
        return
    operator = next((url for name, url in board.operator_urls.items() if name.startswith("api")), None)
    if operator is None:
        raise InvalidRun("--edge needs the board of make run, or one of this machine with --metrics=api-1=URL.")
    with tempfile.TemporaryDirectory() as folder, edge(board.url, operator, Path(folder)) as found:
        board.edge = found.url
        yield
        connections, requests = found.total("connections_total"), found.total("http_requests_total")
        print(f"HAProxy accepted {connections} connections with TLS for {requests} requests.", flush=True)


@contextmanager
def edge(board: str, operator: str, folder: Path, key: str | None = DEFAULT) -> Iterator[Edge]:
    """Run HAProxy on 127.0.0.1 in front of an API process.

    `board` and `operator` are the addresses of the process and its operator port. The certificate has a key of KEYS;
    with None, there is no TLS. `folder` receives the certificate and the log. Raises InvalidRun.
    """
    listen, metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
    found = Edge(f"http{'s' if key else ''}://{listen}", f"http://{metrics}/metrics")
    variables = {
        "PATH": os.environ["PATH"], "BASE_URL": found.url, "LISTEN": listen, "METRICS_LISTEN": metrics,
        "API_HOST": urlsplit(board).hostname or "", "API_PORT": str(urlsplit(board).port), "API_REPLICAS_MAX": "1",
        "API_OPERATOR_PORT": str(urlsplit(operator).port), **UNLIMITED,
        **({"TLS_CERTIFICATE": str(certificate(folder, key))} if key else {}),
    }  # fmt: skip
    with (folder / "haproxy.log").open("wb") as log:
        command = [program("haproxy"), "-f", str(CONFIGURATION)]
        process = subprocess.Popen(command, env=variables, stdout=log, stderr=log)
    try:
        wait_for(found, process, folder)
        yield found
    finally:
        # HAProxy inherits what this process ignores, and that may be SIGTERM.
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def certificate(folder: Path, key: str) -> Path:
    """Make a file with a new certificate, valid for one day, and its key. Raises InvalidRun."""
    private, signed, both = (folder / f"edge.{part}" for part in ("key", "crt", "pem"))
    command = [program("openssl"), "req", "-x509", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    files = ("-keyout", str(private), "-out", str(signed))
    subprocess.run([*command, "-newkey", *KEYS[key], *files], check=True, capture_output=True)
    both.touch(mode=0o600)
    both.write_text(signed.read_text() + private.read_text())
    return both


def program(name: str) -> str:
    """Return the path of a program. Raises InvalidRun without it."""
    # Debian installs HAProxy there, which is not on every user's PATH.
    if (found := shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")) is None:
        raise InvalidRun(f"{name} is not installed, and the edge needs it.")
    return found


def wait_for(found: Edge, process: "subprocess.Popen[bytes]", folder: Path) -> None:
    """Return once HAProxy has found the API ready. Raises InvalidRun."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), DIRECT.open(found.metrics, timeout=5) as answer:
            if READY in answer.read():
                return
        time.sleep(0.1)
    reason = (folder / "haproxy.log").read_text(errors="replace")[-1000:]
    raise InvalidRun(f"HAProxy did not start, or did not find the API ready: {reason}")

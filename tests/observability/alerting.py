"""Alertmanager as a test runs it: with the committed routes and inhibitions, and the test's own webhook."""

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from services.local.child import Child, stop
from services.local.ports import free_port, is_taken
from tests.observability.programs import needed
from tests.processes import CHECKOUT

COMMITTED: Final = CHECKOUT / "deploy/observability/alertmanager/alertmanager.yaml"
SECRET: Final = re.compile(r"url_file: /run/secrets/(\w+)_webhook_url")
SECONDS: Final = 120
WAITS: Final = re.compile(r"(group_wait|group_interval): \w+")


def configured(folder: Path, webhook: str) -> Path:
    """The committed configuration with addresses below the webhook's in place of their files, and without waits.

    Alertmanager reads addresses from files since 0.26; Debian 12 has an older one.
    """
    text = COMMITTED.read_text()
    assert SECRET.findall(text) == ["alert", "ticket", "watchdog"]
    file = folder / "alertmanager.yaml"
    file.write_text(WAITS.sub(r"\1: 1s", SECRET.sub(rf"url: {webhook.rstrip('/')}/\1", text)))
    return file


@contextmanager
def alertmanager(folder: Path, webhook: str) -> Iterator[str]:
    """Run a server that calls the webhook; yield its address."""
    port = free_port()
    command = [
        needed("prometheus-alertmanager"),
        f"--config.file={configured(folder, webhook)}",
        "--cluster.listen-address=",
        f"--web.listen-address=127.0.0.1:{port}",
        f"--storage.path={folder / 'alertmanager'}",
    ]
    server = Child("alertmanager", command, log=folder / "alertmanager.log", env=os.environ, cwd=folder)
    try:
        server.wait_until(lambda: is_taken("127.0.0.1", port), SECONDS, time.sleep)
        yield f"http://127.0.0.1:{port}"
    finally:
        stop([server], SECONDS)


class Webhook(BaseHTTPRequestHandler):
    """Records the receivers and the names of the alerts that it is called with."""

    received: set[str]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.received.update(f"{self.path} {alert['labels']['alertname']}" for alert in body["alerts"])
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


@contextmanager
def webhook(host: str = "127.0.0.1") -> Iterator[tuple[str, set[str]]]:
    """A webhook's address, and the receivers and alerts that it has been called with."""
    received: set[str] = set()
    handler = type("Handler", (Webhook,), {"received": received})
    with ThreadingHTTPServer((host, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://{host}:{server.server_port}/", received
        finally:
            server.shutdown()
            thread.join()

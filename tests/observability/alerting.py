"""Alertmanager as a test runs it: with the committed routes and inhibitions, and the test's own webhook."""

import re
from pathlib import Path
from typing import Final

from services.local.ports import free_port
from tests.observability.programs import Program, needed
from tests.processes import CHECKOUT

COMMITTED: Final = CHECKOUT / "deploy/observability/alertmanager/alertmanager.yaml"
SECRET: Final = re.compile(r"url_file: /run/secrets/(\w+)_webhook_url")
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


def alertmanager(folder: Path, webhook: str) -> Program:
    """A server that calls the webhook."""
    port = free_port()
    command = [
        needed("prometheus-alertmanager"),
        f"--config.file={configured(folder, webhook)}",
        "--cluster.listen-address=",
    ]
    options = [f"--web.listen-address=127.0.0.1:{port}", f"--storage.path={folder / 'alertmanager'}"]
    return Program([*command, *options], port, folder / "alertmanager.log", "/-/ready")

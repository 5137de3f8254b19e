"""Our processes as a test starts them: real ones, with real signals."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Self

from deploy.local.ports import free_port

START_SECONDS = 60
STOP_SECONDS = 60
CHECKOUT = Path(__file__).parents[1]


class ApiProcess:
    """`python -m services.api` on free ports; its log is kept in a folder of the test."""

    module = "services.api"

    def __init__(self, database_url: str, folder: Path, **settings: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "api.log"
        self.port = int(settings.pop("PORT", 0)) or free_port()
        self.operator_port = int(settings.pop("OPERATOR_PORT", 0)) or free_port()
        self.host = settings.get("HOST", "127.0.0.1")
        self.url = f"http://{self.host}:{self.port}"
        self.env = {
            "PATH": os.environ["PATH"],
            "DATABASE_URL": database_url,
            "PORT": str(self.port),
            "OPERATOR_HOST": self.host,
            "OPERATOR_PORT": str(self.operator_port),
            "BASE_URL": self.url,
            "READ_POOL_SIZE": "4",
            "REVISION_WAIT_SECONDS": "5",
            **settings,
        }
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None
        return self.process

    def launch(self) -> None:
        """Start the process and do not wait for it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.module], env=self.env, cwd=CHECKOUT, stdout=log, stderr=log
            )

    def start(self) -> None:
        """Start the process and return when it is ready."""
        self.launch()
        self.wait_until_ready()

    def wait_until_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while self.operator("/readyz")[0] != 200:
            assert self.running.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)

    def operator(self, path: str) -> tuple[int, str]:
        """What the operator port answers; status 0 when nobody does."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:{self.operator_port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()
        except OSError:
            return 0, ""

    def signal(self, number: signal.Signals) -> None:
        self.running.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would."""
        self.running.kill()
        self.running.wait()

    def terminate(self) -> int:
        """Ask it to stop, and return its exit code."""
        self.running.terminate()
        return self.running.wait(STOP_SECONDS)

    def stop(self) -> None:
        """End it, however it is."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS)
            finally:
                self.process.kill()

    def log_lines(self) -> list[dict[str, Any]]:
        """Everything it has logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


class FanoutProcess(ApiProcess):
    """`python -m services.fanout`, with an operator port alone."""

    module = "services.fanout"

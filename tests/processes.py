"""The board's processes as tests start them: real ones, with real signals.

None of them outlives the tests, even if the tests are killed.
"""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from services.local.ports import free_port
from tests.forked import CHECKOUT, SERVER, Forked
from tests.lines import whole_lines
from tests.programs import spawn

__all__ = ["CHECKOUT", "START_SECONDS", "STOP_SECONDS", "ApiProcess", "FanoutProcess", "Started"]
# on a machine that is busy with other work
START_SECONDS = 180
STOP_SECONDS = 180


class ApiProcess:
    """`python -m services.api` on free ports. Its log is kept in a folder of the test."""

    module = "services.api"
    # the imports of the process that it is forked from
    imports = "tests.compiled_api"

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
            "SECURITY_CONTACT": "mailto:security@board.example",
            **settings,
        }
        self.process: Forked | subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def running(self) -> "Forked | subprocess.Popen[bytes]":
        assert self.process is not None
        return self.process

    def launch(self) -> None:
        """Start the process without waiting for it. One that preloads a library cannot be forked."""
        with self.log.open("ab") as log:
            if "LD_PRELOAD" in self.env:
                command = [sys.executable, "-m", self.module]
                self.process = spawn(command, env=self.env, cwd=CHECKOUT, stdout=log, stderr=log)
            else:
                self.process = SERVER.launch(self.module, self.imports, self.env, log.fileno())

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
        """Return the operator port's answer, or status 0 if there is none."""
        connection = http.client.HTTPConnection(self.host, self.operator_port, timeout=5)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except OSError:
            return 0, ""
        finally:
            connection.close()

    def signal(self, number: signal.Signals) -> None:
        self.running.send_signal(number)

    def kill(self) -> None:
        """Kill it, as in a crash."""
        self.running.kill()
        self.running.wait()

    def terminate(self) -> int:
        """Ask it to stop, and return its exit code."""
        self.running.terminate()
        return self.running.wait(STOP_SECONDS)

    def stop(self) -> None:
        """End it immediately, in any state. Tests of an orderly stop call terminate()."""
        if self.process is not None:
            self.kill()

    def log_lines(self) -> list[dict[str, Any]]:
        """Return everything that it has logged."""
        return [json.loads(line) for line in whole_lines(self.log)]


class FanoutProcess(ApiProcess):
    """`python -m services.fanout`, with an operator port only."""

    module, imports = "services.fanout", "services.fanout.app"


P = TypeVar("P", bound=ApiProcess)


class Started(ExitStack):
    """Processes that were started one after the other, and stop together."""

    def start(self, process: P) -> P:
        """Start a process and return it when it is ready."""
        self.callback(process.stop)
        process.start()
        return process


@contextmanager
def started_together(processes: list[P]) -> Iterator[list[P]]:
    """Start processes at the same time, and stop them at the end."""
    try:
        for process in processes:
            process.launch()
        for process in processes:
            process.wait_until_ready()
        yield processes
    finally:
        for process in processes:
            process.stop()

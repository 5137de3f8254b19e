"""The programs that monitor a board, as servers for tests, where they are installed."""

import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from tests.programs import needs, spawn

START_SECONDS = STOP_SECONDS = 120
PACKAGES = {
    "promtool": "prometheus",
    "amtool": "prometheus-alertmanager",
    "prometheus-alertmanager": "prometheus-alertmanager",
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

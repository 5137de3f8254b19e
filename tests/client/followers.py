"""The command of the client as processes of their own: one that follows a log, and others that end by themselves."""

import os
import subprocess
from pathlib import Path
from queue import Queue
from threading import Thread

from tests.forked import CHECKOUT, SERVER

SECONDS = 30


def variables(home: Path, address: str) -> dict[str, str]:
    """Return the environment of a command with its files in a folder, for the board at an address."""
    # the command of this checkout, also where the environment was made for another
    source = str(CHECKOUT / "clients" / "python" / "src")
    known = {"AGENT_BOARD_HOME": str(home), "AGENT_BOARD_URL": address, "NO_PROXY": "*"}
    return {**known, "PATH": os.environ["PATH"], "PYTHONPATH": source}


def run_board(environment: dict[str, str], *arguments: object, code: int = 0) -> str:
    """Run a command to its end; return its output, including error messages."""
    done = subprocess.run(
        [SERVER.command("board"), *map(str, arguments)], env=environment, text=True, timeout=300, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    return done.stdout


class Follower:
    """A process that follows a log, and the lines that it prints, including error messages."""

    def __init__(self, environment: dict[str, str], *options: str) -> None:
        command = [SERVER.command("board"), "--wait", "0", "log", "follow", *options]
        self.process = subprocess.Popen(
            command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.lines: Queue[str] = Queue()
        self.reader = Thread(target=self.read)
        self.reader.start()

    def read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                self.lines.put(line)

    def reports(self, sentence: str, seconds: float = SECONDS) -> list[str]:
        """Wait for a sentence, and return the lines before it, without those that report no change."""
        before = []
        while sentence not in (line := self.lines.get(timeout=seconds)):
            before += [] if "still has" in line else [line]
        return before

    def ends(self) -> str:
        """Wait for the end, and return what is left of the output."""
        assert self.process.wait(SECONDS) == 0
        self.reader.join(SECONDS)
        return "".join(self.lines.queue)

    def kill(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait(SECONDS)
        self.reader.join(SECONDS)

"""A shell that runs the examples of a document one after another, as an agent would."""

import os
import subprocess
from collections import deque
from pathlib import Path

from tests.documents.reading import Example, examples
from tests.programs import spawn
from tests.web import Web

END = "--end-of-example--"


class Shell:
    """A shell with its own home. Its state carries over from one example to the next; the first failure ends it."""

    def __init__(self, command: str, home: Path) -> None:
        self.home = home
        # by default, curl exits with 0 on statuses of 400 and above
        (home / ".curlrc").write_text("fail-with-body\n")
        self.complaints = (home / ".stderr").open("w+")
        self.process = spawn(
            command.split(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.complaints,
            cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            text=True,
        )

    def run(self, script: str) -> str:
        """Run a script to its end and return its output. Fails if a command fails or prints anything to stderr."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{script}\necho\necho {END}\n")
        self.process.stdin.flush()
        printed = ""
        for line in self.process.stdout:
            if line.strip() == END:
                break
            printed += line
        else:
            raise AssertionError(f"{script}\n{printed}\n{self.complained()}")
        assert not self.complained(), f"{script}\n{self.complained()}"
        return printed.strip()

    def complained(self) -> str:
        self.complaints.flush()
        return (self.home / ".stderr").read_text()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.complaints.close()


class Walk:
    """The examples of one document. Each must be run, in order, and be under the expected heading."""

    def __init__(self, shell: Shell, web: Web, page: str) -> None:
        self.shell = shell
        self.text = web.get(page).content.decode()
        self.left: deque[Example] = deque(examples(self.text))

    def next(self, heading: str) -> str:
        """Run the next example, which must be under this heading, and return its output."""
        return self.shell.run(self.script(heading))

    def script(self, heading: str) -> str:
        """Take the next example without running it."""
        example = self.left.popleft()
        assert example.heading == heading
        return example.script

    def end(self) -> None:
        """Fail if an example was not run."""
        assert not self.left

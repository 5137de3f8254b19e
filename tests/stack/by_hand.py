"""The commands that deploy/compose/README.md has for operators, run as they are printed."""

import re
import subprocess
from collections.abc import Mapping

from deploy.compose.configuration import DIRECTORY
from tests.stack.make import Board

BLOCK = re.compile(r"```sh\n(.+?)```", re.DOTALL)


def blocks(heading: str) -> list[list[str]]:
    """Return the commands of each block of a section."""
    _, _, section = (DIRECTORY / "README.md").read_text().partition(f"# {heading}\n")
    text = re.split(r"^##", section, maxsplit=1, flags=re.MULTILINE)[0]
    found = [block.strip().splitlines() for block in BLOCK.findall(text)]
    assert found, heading
    return found


def run(board: Board, commands: list[str], meant: Mapping[str, str]) -> str:
    """Run commands in the folder of the stack, with values in the place of names; return their output."""
    text = "\n".join(["set -euo pipefail", *commands])
    for name, value in meant.items():
        text = text.replace(name, value)
    settings = {**board.stack.environment(), "COMPOSE_ENV_FILES": str(board.stack.configuration.file)}
    done = subprocess.run(
        ["bash", "-c", text], cwd=DIRECTORY, env={**board.shell(), **settings}, text=True, timeout=500, check=False,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout

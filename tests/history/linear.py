"""The foreign judge of votes, tokens and acknowledgements: Porcupine, of the folder next to this file.

It needs Go, which fetches the module once. Without Go nothing is judged; a pipeline installs it.
"""

import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tests import go
from tests.history.record import Call, save

SOURCE = Path(__file__).parent / "porcupine"
SECONDS = 600
folder = tempfile.TemporaryDirectory(prefix="agent-board-porcupine-")
WITHOUT = "Votes, tokens and acknowledgements are not judged: Porcupine needs Go."


@cache
def program() -> Path | None:
    """Return the judge, which is built once, or None without Go."""
    if go.is_there():
        return go.build(SOURCE, Path(folder.name) / "porcupine")
    print(WITHOUT)
    return None


def not_linear(calls: Sequence[Call]) -> list[str]:
    """Return the posts, agents and events of a history whose calls are not those of one register."""
    judge = program()
    if judge is None:
        return []
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        save(calls, Path(file.name))
        judged = subprocess.run([judge, file.name], check=True, timeout=SECONDS, stdout=subprocess.PIPE, text=True)
    return judged.stdout.splitlines()

"""The foreign judge of votes, tokens and acknowledgements: Porcupine, of the folder next to this file.

It needs Go, which fetches the module once. Without Go nothing is judged, unless CI=true.
"""

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parent / "porcupine"
SECONDS = 600
WITHOUT = "Votes, tokens and acknowledgements are not judged: Porcupine needs Go."


@cache
def program() -> Path | None:
    """Return the judge, which is built once, or None without Go. Raises FileNotFoundError without it if CI=true."""
    if shutil.which("go") is None:
        if os.environ.get("CI") == "true":
            raise FileNotFoundError(WITHOUT)
        print(WITHOUT)
        return None
    built = Path(tempfile.gettempdir()) / f"agent-board-porcupine-{os.getpid()}"
    subprocess.run(["go", "build", "-o", built, "."], cwd=SOURCE, check=True, timeout=SECONDS)
    return built


def not_linear(history: Path) -> list[str]:
    """Return the posts, agents and events of a history whose calls are not those of one register."""
    judge = program()
    if judge is None:
        return []
    judged = subprocess.run([judge, history], check=True, timeout=SECONDS, stdout=subprocess.PIPE, text=True)
    return judged.stdout.splitlines()

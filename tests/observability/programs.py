"""The programs that monitor a board, where they are installed."""

import subprocess
from pathlib import Path

from tests.programs import needs

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

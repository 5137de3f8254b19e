"""Where and with which commit a run was made: its figures mean nothing elsewhere."""

import platform
import subprocess
from pathlib import Path
from typing import Final

import psutil

CPU_FACTS: Final = Path("/proc/cpuinfo")
UNKNOWN: Final = "unknown"


def commit(checkout: Path) -> str:
    """Return the commit of a checkout, with a note if files differ from it; "unknown" outside one, as in an image."""
    found = git(checkout, "rev-parse", "--short=12", "HEAD")
    if not found:
        return UNKNOWN
    return f"{found} with changes" if git(checkout, "status", "--porcelain", "--untracked-files=no") else found


def git(checkout: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(checkout), *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return done.stdout.strip()


def machine() -> str:
    """Return the cores, the processor, the memory and the system of this machine, which runs the loader."""
    cores = psutil.cpu_count() or 1
    memory = psutil.virtual_memory().total / (1 << 30)
    return f"{cores} cores of {processor()}, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def processor() -> str:
    """Return the name of the processor, or else its architecture."""
    try:
        facts = CPU_FACTS.read_text().splitlines()
    except OSError:
        facts = []
    names = [line.partition(":")[2].strip() for line in facts if line.startswith("model name")]
    return names[0] if names else platform.machine()

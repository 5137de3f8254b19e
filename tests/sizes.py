"""Prints the tracked lines of each top folder next to their goals, so that growth is seen in every review.

`make lint` runs it. It never fails.
"""

import subprocess
from collections import Counter
from pathlib import Path
from typing import Final

from tests.processes import CHECKOUT

GOALS: Final = {
    "services, .py": 19_000, "services, .sql": 2_600, "tests": 46_000, "deploy": 9_500, "clients": 5_500,
    "loadtests": 3_500, "benchmarks": 800, "all lines": 100_000, "files": 1_150, "words of Markdown": 32_000,
}  # fmt: skip


def sizes() -> Counter[str]:
    """Return the tracked lines by top folder, the lines and files of all, and the words of Markdown."""
    found: Counter[str] = Counter()
    for path in subprocess.check_output(["git", "ls-files", "-z"], cwd=CHECKOUT, text=True).split("\0"):
        file = CHECKOUT / path
        if not file.is_file():
            continue
        content = file.read_bytes()
        lines = content.count(b"\n")
        found += Counter({area(path): lines, "all lines": lines, "files": 1})
        if file.suffix == ".md":
            found["words of Markdown"] += len(content.split())
    return found


def area(path: str) -> str:
    """Return the top folder of a file, in services with the kind of file."""
    folder, is_inside, _ = path.partition("/")
    if folder == "services":
        return f"services, {Path(path).suffix}"
    return folder if is_inside else "(top folder)"


def main() -> None:
    found = sizes()
    for name in (*sorted(found.keys() - GOALS.keys()), *GOALS):
        goal = f"  goal {GOALS[name]:7,}" if name in GOALS else ""
        print(f"{name:<18}{found[name]:8,}{goal}")


if __name__ == "__main__":
    main()

"""`make chaos`: run the fault matrix on a board of its own, and print one line of figures for each row.

The exit code is 1 when a promise was broken.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from tests.chaos.matrix import run_rows
from tests.chaos.row import BOTH
from tests.chaos.table import ROWS
from tests.chaos.termination import run_until_terminated


def main() -> int:
    """Run the rows that the command line names, or all."""
    chosen = arguments()
    rows = [row for row in ROWS if not chosen.rows or row.name in chosen.rows]
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        # the servers of the board run as another user, which needs access to their folders
        Path(folder).chmod(0o755)
        broken = run_until_terminated(run_rows(rows, Path(folder), chosen.board, chosen.seconds, say))
    return 1 if broken else 0


def say(line: str) -> None:
    print(line, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run, by name; all by default")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each fault lasts (10)")
    parser.add_argument("--board", choices=BOTH, default="processes", help="what to break (processes)")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.rows) - {row.name for row in ROWS}):
        parser.error(f"no such row: {', '.join(unknown)}; there are: {', '.join(row.name for row in ROWS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())

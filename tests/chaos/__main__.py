"""`make chaos`: break a board under load, record what its clients see, and judge all of it.

A seed chooses one to three faults at a time. With names of rows, or "all", each fault happens by itself. The seed is
printed, and the calls are kept. The exit code is 1 when a promise was broken.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from pathlib import Path

from tests.chaos.local_board import LocalBoard, Skipped
from tests.chaos.row import Row
from tests.chaos.run import FAULT_SECONDS, run
from tests.chaos.starting import whole_board
from tests.chaos.table import ROWS
from tests.history.traffic import CLIENTS

HISTORIES = Path(".local/histories")
SECONDS, ROW_SECONDS = 60.0, 10.0


def main() -> int:
    """Run a seed, or the rows that the command line names."""
    chosen = arguments()
    HISTORIES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        # the servers of the board run as another user, which needs access to their folders
        Path(folder).chmod(0o755)
        try:
            broken = asyncio.run(break_board(chosen, Path(folder)))
        except Skipped as reason:
            sys.exit(str(reason))
    say(f"Broken promises: {', '.join(broken)}." if broken else "All promises were kept.")
    return 1 if broken else 0


async def break_board(chosen: argparse.Namespace, folder: Path) -> list[str]:
    """Return the names of the runs that broke a promise."""
    names = [row.name for row in ROWS] if chosen.rows == ["all"] else chosen.rows
    say(f"seed {chosen.seed}")
    async with whole_board(folder) as board:
        if not names:
            return [f"seed {chosen.seed}"] if await run_one(board, chosen, chosen.seconds or SECONDS) else []
        return [row.name for row in ROWS if row.name in names and await run_row(board, chosen, row)]


async def run_row(board: LocalBoard, chosen: argparse.Namespace, row: Row) -> bool:
    """Run one row, unless tests prove it instead or this machine cannot; return whether it broke a promise."""
    if row.fault is None:
        say(f"{row.name:<22} proved by {', '.join(row.tests)}")
    else:
        try:
            return await run_one(board, chosen, chosen.seconds or ROW_SECONDS, row.name)
        except Skipped as reason:
            say(f"{row.name:<22} skipped: {reason}")
    return False


async def run_one(board: LocalBoard, chosen: argparse.Namespace, seconds: float, only: str = "") -> bool:
    """Run a seed, or one row for its seconds; return whether it broke a promise."""
    file, lasts = HISTORIES / f"{only or chosen.seed}.jsonl", (seconds, seconds) if only else FAULT_SECONDS
    verdict = await run(board, chosen.seed, seconds, chosen.clients, file, signed=not only, only=only, lasts=lasts)
    say(*verdict.lines)
    if not only or verdict.broken:
        say(verdict.line, *verdict.findings, f"The calls are in {file}.")
    return bool(verdict.broken)


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help='faults that happen alone, by name, or "all"')
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1_000_000), help="what decides the faults (random)"
    )
    parser.add_argument("--seconds", type=float, help=f"of a seed ({SECONDS:.0f}) or of each row ({ROW_SECONDS:.0f})")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"how many agents call the board ({CLIENTS})")
    chosen = parser.parse_args()
    if unknown := sorted(set(chosen.rows) - {row.name for row in ROWS} - {"all"}):
        parser.error(f"no such row: {', '.join(unknown)}; there are: {', '.join(row.name for row in ROWS)}")
    return chosen


if __name__ == "__main__":
    sys.exit(main())

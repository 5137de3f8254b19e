"""`make history`: record what clients of a board see while a seed breaks it, and judge the whole history.

Every run prints its seed, which runs again by `make history SEED=...`, and keeps its calls in a file. The exit code is
1 when a promise was broken.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from tests.chaos.termination import run_until_terminated
from tests.history.boards import history_board
from tests.history.run import Verdict, run
from tests.history.traffic import CLIENTS

FILE = Path(".local/history.jsonl")


def main() -> int:
    """Run one seed."""
    chosen = arguments()
    FILE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="history-") as folder:
        # the servers of the board run as another user, which needs access to their folders
        Path(folder).chmod(0o755)
        verdict = run_until_terminated(run_seed(chosen, Path(folder)))
    print(verdict.line, *verdict.findings, f"The calls are in {FILE}.", sep="\n")
    return 1 if verdict.broken else 0


async def run_seed(chosen: argparse.Namespace, folder: Path) -> Verdict:
    print(f"seed {chosen.seed}", flush=True)
    async with history_board(folder) as board:
        return await run(board, chosen.seed, chosen.seconds, chosen.clients, FILE)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make history", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--seed", type=int, default=random.randrange(1_000_000), help="what decides the faults (random)"
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the board is disturbed (60)")
    parser.add_argument("--clients", type=int, default=CLIENTS, help=f"how many agents call the board ({CLIENTS})")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())

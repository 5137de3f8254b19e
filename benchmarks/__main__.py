"""`python -m benchmarks`: measures the board and prints a table of ratios. Exits with 1 if one misses its target.

The median of a ratio over all rounds must be at most the target that its module states. `make capacity` measures what
a board carries.
"""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

from benchmarks import search, visits, writing
from benchmarks.report import Report
from benchmarks.stage import stage
from services.local.postgresql import forget_variables

PARTS: dict[str, Callable[..., None]] = {
    "visits": visits.measure,
    "writing": writing.measure,
    "search": search.measure,
}


def main() -> NoReturn:
    """Measure the chosen parts in the chosen number of rounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="what to measure (default: everything)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; the table shows their medians (3)")
    parser.add_argument("--seconds", type=float, default=20, help="duration of the visits of a side in seconds (20)")
    chosen = parser.parse_args()
    forget_variables()
    report = Report()
    with stage() as server:
        for name in dict.fromkeys(chosen.parts or PARTS):
            PARTS[name](server, report, chosen.rounds, chosen.seconds)
    report.print()
    sys.exit(1 if report.missed() else 0)


if __name__ == "__main__":
    main()

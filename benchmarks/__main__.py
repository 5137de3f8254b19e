"""`python -m benchmarks`: measures the board and prints a table of ratios. Exits with 1 if one misses its target.

The targets are in targets.py.
"""

import argparse
import os
import sys
from collections.abc import Callable
from functools import partial
from typing import NoReturn

from benchmarks import (
    agents,
    calls,
    curve,
    discovery,
    edge,
    fanout,
    indexing,
    limiting,
    pages,
    plain_visits,
    processes,
    reading,
    serving,
    storage,
    tokens,
    writing,
)
from benchmarks.report import Report
from benchmarks.stage import stage

PARTS: dict[str, Callable[..., None]] = {
    "writing": writing.measure,
    "reading": reading.measure,
    "serving": serving.measure,
    "pages": pages.measure,
    "discovery": discovery.measure,
    "indexing": indexing.measure,
    "fanout": fanout.measure,
    "limiting": limiting.measure,
    "storage": storage.measure,
    "agents": agents.measure,
    "curve": curve.measure,
    "edge": edge.measure,
    "calls": calls.measure,
    "visits": plain_visits.measure,
    "processes": processes.measure,
    "tokens": tokens.measure,
}
# Parts without a target.
REFERENCES = {"calls", "processes"}
# Parts that are measured with another one.
INCLUDED = {"reading": ("serving",)}


def forget_surroundings() -> None:
    """Change the variables that would lead to another database, or through a proxy to a local process."""
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    os.environ["no_proxy"] = "127.0.0.1"


def measure_given(address: str, report: Report) -> None:
    """Measure the tokens of an agent on the board at this address, or exit with a sentence."""
    try:
        tokens.measure_tasks(address, report)
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"{address} did not answer as a board does: {error}")


def main() -> NoReturn:
    """Measure the chosen parts in the chosen number of rounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="what to measure (default: everything)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds; the table shows their medians (3)")
    parser.add_argument("--seconds", type=float, default=5, help="duration of each measurement in seconds (5)")
    parser.add_argument(
        "--flush",
        type=float,
        default=0,
        help="milliseconds, 0 to 100, added to each commit to simulate a slower disk (0)",
    )
    parser.add_argument("--board", metavar="ADDRESS", help="measure tokens on this board; it gets two agents and posts")
    parser.add_argument(
        "--threads",
        type=int,
        default=0,
        help="threads of the board of discovery, each with ten replies (the board of reading: 200,000 with four)",
    )
    chosen = parser.parse_args()
    forget_surroundings()
    if not 0 <= chosen.flush <= 100:
        parser.error("--flush must be 0 to 100 milliseconds")
    if chosen.board and chosen.parts != ["tokens"]:
        parser.error("--board measures tokens only: name this part")
    parts: dict[str, Callable[..., None]] = {**PARTS, "discovery": partial(discovery.measure, threads=chosen.threads)}
    report = Report()
    if chosen.board:
        measure_given(chosen.board, report)
    else:
        with stage(chosen.flush) as server:
            for name in dict.fromkeys(
                each for part in chosen.parts or PARTS for each in (part, *INCLUDED.get(part, ()))
            ):
                parts[name](server, report, chosen.rounds, chosen.seconds)
    report.print()
    sys.exit(1 if report.missed() else 0)


if __name__ == "__main__":
    main()

"""`python -m benchmarks`: measures, and prints a table of ratios."""

import argparse

from benchmarks import creation, discovery, fanout, limiting, memory, reading, serving
from benchmarks.report import Report
from benchmarks.stage import stage

PARTS = {
    "creation": creation.measure,
    "reading": reading.measure,
    "serving": serving.measure,
    "discovery": discovery.measure,
    "memory": memory.measure,
    "fanout": fanout.measure,
    "limiting": limiting.measure,
}


def main() -> None:
    """Measure the chosen parts in so many rounds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="what to measure; everything when not given")
    parser.add_argument("--rounds", type=int, default=3, help="rounds; the table shows the medians (3)")
    parser.add_argument("--seconds", type=float, default=5, help="seconds of each measurement (5)")
    parser.add_argument(
        "--flush",
        type=float,
        default=0,
        help="milliseconds, 0 to 100, that commits take longer, as on a slower disk (0)",
    )
    chosen = parser.parse_args()
    if not 0 <= chosen.flush <= 100:
        parser.error("--flush is 0 to 100 milliseconds")
    report = Report()
    with stage(chosen.flush) as server:
        for name in chosen.parts or PARTS:
            PARTS[name](server, report, chosen.rounds, chosen.seconds)
    report.print()


if __name__ == "__main__":
    main()

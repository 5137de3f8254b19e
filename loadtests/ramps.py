"""`python -m loadtests.ramps`: a ramp for each journey, and the table of what the board carries (`make capacity`).

Exit status: 0 the table is complete; 1 the board broke a promise under the load; 2 a ramp was invalid.
"""

import sys
from typing import Final

from loadtests import capacity
from loadtests.__main__ import parser
from loadtests.errors import InvalidRun
from loadtests.gates import WHOLE_RUN
from loadtests.load_test import LoadTest
from loadtests.local import CHECKOUT, LocalBoard, running_board

SECONDS: Final = 54
INTERVALS: Final = {
    "asker": 7, "answerer": 7, "visitor": 4, "explorer": 4, "reader": 2, "follower": 1, "searcher": 2, "newcomer": 8,
}  # fmt: skip
"""Seconds between two visits of an agent: as few as the board's limits allow, so that few agents make much load. The
askers come first, because the others read what they wrote."""


def main() -> int:
    """Run all ramps, print the table, and return the exit code."""
    rows, codes = [], {0}
    try:
        options = parser().parse_args()
        with running_board(options.board, CHECKOUT) as board:
            for journey, interval in INTERVALS.items():
                row, code = ramp(board, journey, interval)
                rows.append(row)
                codes.add(code)
    except InvalidRun as invalid:
        print(f"Invalid run: {invalid}", file=sys.stderr)
        return 2
    print("\n" + "\n".join([capacity.HEAD, *rows]))
    return max(codes)


def ramp(board: LocalBoard, journey: str, interval: int) -> tuple[str, int]:
    """Run one ramp; return its row and exit code. Options of the command line count more than those of the ramp."""
    options = ["--profile=ramp", f"--mix={journey}", f"--every={interval}", f"--seconds={SECONDS}", *sys.argv[1:]]
    test = LoadTest(parser().parse_args(options), board)
    print(f"\n{journey}", flush=True)
    try:
        test.run()
    except InvalidRun as invalid:
        return f"| {journey} | invalid: {invalid} |", 2
    return str(test.row), int(any(gate.where == WHOLE_RUN and gate.is_broken for gate in test.gates))


if __name__ == "__main__":
    sys.exit(main())

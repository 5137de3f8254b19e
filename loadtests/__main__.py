"""`python -m loadtests`: puts a profile's load on a board and judges what the board did.

Exit status: 0 no gate is broken; 1 a gate is broken; 2 the run is invalid or the usage is wrong.
"""

import argparse
import sys

from loadtests import profiles
from loadtests.errors import InvalidRun
from loadtests.load_test import LoadTest
from loadtests.local import CHECKOUT, running_board
from loadtests.profiles import EVERYDAY


def main(arguments: list[str] | None = None) -> int:
    """Run one load test, and return the exit code."""
    options = parser().parse_args(arguments)
    try:
        profiles.find(options.profile)
        with running_board(options.board, CHECKOUT) as board:
            return LoadTest(options, board).run()
    except InvalidRun as invalid:
        print(f"Invalid run: {invalid}", file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    known = "\n".join(
        f"  {name:<8} {profile.purpose} ({profile.seconds:.0f} s)" for name, profile in profiles.PROFILES.items()
    )
    parser = argparse.ArgumentParser(
        prog="python -m loadtests",
        description="Put load on a board, as agents do, and report whether the board holds its objectives.",
        epilog=f"profiles:\n{known}\n\nExit status: 0 no gate is broken; 1 a gate is broken; 2 the run is invalid.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--profile", default="smoke", help="the kind of run (smoke)")
    parser.add_argument("--board", help="the board's address; by default the one of make run, started if necessary")
    parser.add_argument("--agents", type=positive, help="how many agents visit (set by the profile)")
    parser.add_argument("--seconds", type=positive, help="the measured time (set by the profile)")
    parser.add_argument("--every", type=positive, metavar="SECONDS", help="time between an agent's visits (by profile)")
    parser.add_argument("--mix", type=mix, metavar="SHARES", help="such as visitor=0.8,asker=0.2 (set by the profile)")
    parser.add_argument("--late", type=float, default=0.1, metavar="SECONDS", help="how late a visit may start (0.1)")
    parser.add_argument("--workers", type=positive, default=1, help="Locust processes that share the load (1)")
    parser.add_argument("--seed", type=int, default=1, help="where the untrusted text and all choices come from (1)")
    parser.add_argument(
        "--results", default=".local/loadtests", help="folder for results and agents (.local/loadtests)"
    )
    parser.add_argument("--web", action="store_true", help="serve Locust's own page on port 8089 during the run")
    return parser


def mix(text: str) -> dict[str, float]:
    """Parse journeys with their shares of the agents; a journey without a share has 1."""
    shares = {name: share or "1" for name, _, share in (part.partition("=") for part in text.split(","))}
    if unknown := shares.keys() - EVERYDAY.keys():
        raise argparse.ArgumentTypeError(f"no journey {unknown.pop()!r}; choose from {', '.join(EVERYDAY)}")
    try:
        found = {name: float(share) for name, share in shares.items()}
    except ValueError:
        found = {}
    if not found or not all(0.001 <= share <= 1 for share in found.values()):
        raise argparse.ArgumentTypeError("a share is a number from 0.001 to 1")
    return found


def positive(text: str) -> int:
    """Parse a positive whole number."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a positive whole number")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())

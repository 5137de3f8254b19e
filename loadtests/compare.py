"""`python -m loadtests compare`: reads results of load tests and prints what got slower and which gates got worse.

Exit status: 0 no gate got worse; 1 one did; 2 the results cannot be compared or the usage is wrong.
"""

import argparse
import json
import sys
from pathlib import Path

from loadtests.comparison import Change, GateChange, Result, check_alike, figure_changes, gate_changes, read_result
from loadtests.errors import InvalidRun

EPILOG = """A side is any number of result.json, or of folders that contain them.
Repeat each side, three times or more: the spread of equal runs is the noise that a difference must exceed.
With one run on each side, 30 % is assumed.

examples:
  python -m loadtests compare 20261123-before/result.json 20261124-after/result.json
  python -m loadtests compare before/ --with after/

Exit status: 0 no gate or objective got worse; 1 one did; 2 the results cannot be compared.
"""


def main(arguments: list[str]) -> int:
    """Compare and return the exit status."""
    options = parser()
    chosen = options.parse_args(arguments)
    sides = [chosen.results, chosen.after] if chosen.after else [chosen.results[:1], chosen.results[1:]]
    if not chosen.after and len(chosen.results) != 2:
        options.error("name two results, or those before, --with and those after")
    try:
        before, after = ([result for place in side for result in read_place(place)] for side in sides)
        check_alike([*before, *after])
    except InvalidRun as invalid:
        print(f"Cannot compare: {invalid}", file=sys.stderr)
        return 2
    gates = [gate for gate in gate_changes(before, after) if gate.is_worse]
    print(report(figure_changes(before, after), gates, len(before), len(after)))
    return 1 if gates else 0


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="python -m loadtests compare",
        description="Print the figures that got slower between two sets of load tests, beyond the noise.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("results", nargs="+", type=Path, metavar="RESULT", help="a result.json or a folder with some")
    found.add_argument(
        "--with", nargs="+", type=Path, dest="after", metavar="RESULT", help="the results after a change"
    )
    return found


def read_place(place: Path) -> list[Result]:
    """Return the result in a file, or all below a folder. Raises InvalidRun, whose message names the place."""
    if not place.is_dir():
        return [read_file(place)]
    found = sorted(place.rglob("result.json"))
    if not found:
        raise InvalidRun(f"{place} contains no result.json.")
    return [read_file(file) for file in found]


def read_file(file: Path) -> Result:
    try:
        return read_result(json.loads(file.read_text()))
    except OSError as error:
        raise InvalidRun(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidRun(f"{file} is not the result of a load test.") from None


def report(changes: list[Change], gates: list[GateChange], before: int, after: int) -> str:
    """Return the tables for people: slower figures, faster figures, and worse gates."""
    lines = [f"{before} before, {after} after; {len(changes)} figures compared"]
    if before == after == 1:
        lines.append("One run on each side: 30 % of noise is assumed. Repeat the runs to know it.")
    for title, found in (("slower", [one for one in changes if one.is_worse]),
                         ("faster", [one for one in changes if one.is_better])):  # fmt: skip
        lines += ["", f"{title + ':':<42}{'before':>10}{'after':>10}{'change':>9}{'noise':>8}"] if found else []
        lines += [row(one) for one in sorted(found, key=lambda one: -one.after / max(one.before, 1e-9))]
    if not any(one.is_worse for one in changes):
        lines += ["", "Nothing got slower beyond the noise."]
    lines += ["", *map(gate_row, gates)] if gates else ["No gate got worse."]
    return "\n".join(lines)


def row(one: Change) -> str:
    share = one.after / max(one.before, 1e-9) - 1
    return f"{one.what:<42}{one.before:>10.4g}{one.after:>10.4g}{share:>+9.0%}{one.noise:>8.0%}"


def gate_row(gate: GateChange) -> str:
    was, now = gate.figures
    runs = f"broken in {gate.before:.0%} of the runs before and {gate.after:.0%} after"
    return f"WORSE {gate.name} ({gate.where}): {was} before, {now} after; {runs}"

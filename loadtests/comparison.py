"""Compares the results of load tests: figures slower beyond the noise of repeated runs, and worse gates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from loadtests.errors import InvalidRun
from loadtests.gates import Gate
from loadtests.measurements import CALLS

# The noise of a figure of which nothing is known, because each side has one run, and the least noise otherwise: figures
# are rounded to two digits.
UNKNOWN_NOISE: Final = 0.3
LEAST_NOISE: Final = 0.1
# A slower figure of less than this is never reported.
LEAST_MS: Final = 1.0
LEAST_CORES: Final = 0.05


@dataclass(frozen=True)
class Result:
    """The parts of a run that are compared: its load, its figures by name, and its gates."""

    load: str
    figures: dict[str, float]
    gates: list[Gate]


def read_result(content: Any) -> Result:
    """Return the result in the content of a result.json. Raises KeyError, TypeError, ValueError or AttributeError."""
    return Result(
        load=f"{content['profile']} with {int(content['agents'])} agents",
        figures=dict(figures_of(content)),
        gates=[Gate(**gate) for gate in content["gates"]],
    )


def figures_of(content: Any) -> Iterator[tuple[str, float]]:
    """Yield latencies with enough calls, the CPU of each process, and the time between visits that a ramp carried."""
    for name, part in content["operations"].items():
        known = [f"p{100 * share:.0f}" for share, calls in CALLS.items() if int(part["calls"]) >= calls]
        yield from ((f"{name} {key} ms", float(part[f"{key}_ms"])) for key in known)
    yield from ((f"{process} cores", float(share)) for process, share in content["cpu"].items())
    if carries := content["carries"]:
        yield "ms between visits carried", 1000 / max(float(carries["visits"]), 0.001)


@dataclass(frozen=True)
class Change:
    """A figure before and after: medians of the runs. `noise` is the share by which it differs between equal runs."""

    what: str
    before: float
    after: float
    noise: float
    least: float

    @property
    def is_worse(self) -> bool:
        return self.after > self.before * (1 + self.noise) and self.after - self.before >= self.least

    @property
    def is_better(self) -> bool:
        return self.before > self.after * (1 + self.noise) and self.before - self.after >= self.least


@dataclass(frozen=True)
class GateChange:
    """A gate before and after: in what share of the runs it is broken, and its figures in them."""

    name: str
    where: str
    before: float
    after: float
    figures: tuple[str, str]

    @property
    def is_worse(self) -> bool:
        return self.after > self.before


def check_alike(results: Sequence[Result]) -> None:
    """Raise InvalidRun unless all results are those of the same load."""
    loads = dict.fromkeys(one.load for one in results)
    if len(loads) > 1:
        raise InvalidRun(f"Runs of different loads cannot be compared: {', '.join(loads)}.")


def figure_changes(before: Sequence[Result], after: Sequence[Result]) -> list[Change]:
    """Return every figure that all runs have."""
    shared = [what for what in before[0].figures if all(what in one.figures for one in (*before, *after))]
    return [
        change(what, [one.figures[what] for one in before], [one.figures[what] for one in after]) for what in shared
    ]


def change(what: str, before: list[float], after: list[float]) -> Change:
    """Compare the medians. The noise is the greatest spread among runs of one side."""
    if max(len(before), len(after)) == 1:
        noise = UNKNOWN_NOISE
    else:
        noise = max(LEAST_NOISE, *(max(side) / max(min(side), 1e-9) - 1 for side in (before, after)))
    least = LEAST_CORES if what.endswith("cores") else LEAST_MS
    return Change(what, median(before), median(after), noise, least)


def gate_changes(before: Sequence[Result], after: Sequence[Result]) -> list[GateChange]:
    """Return every gate of both sides. One that a side does not have holds there."""
    known = dict.fromkeys((gate.name, gate.where) for result in (*before, *after) for gate in result.gates)
    return [gate_change(*gate, before, after) for gate in known]


def gate_change(name: str, where: str, before: Sequence[Result], after: Sequence[Result]) -> GateChange:
    sides = [[gate for one in side for gate in one.gates if (gate.name, gate.where) == (name, where)]
             for side in (before, after)]  # fmt: skip
    broken = [sum(gate.is_broken for gate in gates) / max(len(gates), 1) for gates in sides]
    shown = [", ".join(dict.fromkeys(gate.figure for gate in gates)) or "none" for gates in sides]
    return GateChange(name, where, broken[0], broken[1], (shown[0], shown[1]))

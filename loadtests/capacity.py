"""How much of a journey a board carries: the result of a ramp as a row of a table.

The rates are those of this machine, which the loader shares with the board. The CPU time of a visit is that of the
parts themselves, so a core of each carries 1000 / milliseconds visits a second.
"""

from dataclasses import dataclass
from typing import Final

from loadtests.gates import Gate
from loadtests.ledger import Ledger
from loadtests.measurements import FRESHNESS, Measurements
from loadtests.processes import MACHINE, Processes
from loadtests.run import Run

LATENCIES: Final = ("read_latency", "write_latency")
PARTS: Final = ("api", "postgresql", "limiter", "valkey", "fanout")
HEAD: Final = (
    "| journey | visits/s | calls/s | broken by the next step |"
    + "".join(f" {part} ms |" for part in PARTS)
    + "\n|---|--:|--:|---|"
    + "--:|" * len(PARTS)
)


@dataclass(frozen=True)
class Row:
    """How much of one journey a board carries. `cpu` is in milliseconds for each visit, by part."""

    journey: str
    visits: float
    calls: float
    broken: list[str]
    cpu: dict[str, float]

    def __str__(self) -> str:
        broken = " and ".join(self.broken) or "nothing"
        cpu = "".join(f" {self.cpu[part]:.2f} |" if part in self.cpu else " ? |" for part in PARTS)
        return f"| {self.journey} | {self.visits:.0f} | {self.calls:.0f} | {broken} |{cpu}"


def row(
    run: Run, gates: list[Gate], ledger: Ledger, measurements: Measurements, processes: Processes, since: float
) -> Row:
    """Return the row of a ramp. `since` is the moment of time.perf_counter at which its measured time began."""
    held, broken = last_that_held(run, gates)
    seconds = run.profile.segments[held].seconds
    calls = sum(part.calls for name, part in measurements.operations(held).items() if name != FRESHNESS)
    visits = sum(1 for _, segment in ledger["late"] if segment >= 0)
    return Row(
        journey=" and ".join(run.profile.mix),
        visits=sum(1 for _, segment in ledger["late"] if segment == held) / seconds if held >= 0 else 0.0,
        calls=calls / seconds if held >= 0 else 0.0,
        broken=broken,
        cpu={part: 1000 * used / max(visits, 1) for part, used in processes.used(since).items() if part != MACHINE},
    )


def last_that_held(run: Run, gates: list[Gate]) -> tuple[int, list[str]]:
    """Return the number of the last step that held, -1 if none did, and the names of the gates that the next broke.

    A step with too few calls to judge a latency shows nothing: it neither holds nor ends the ramp.
    """
    held = -1
    for number, segment in enumerate(run.profile.segments):
        here = [gate for gate in gates if gate.where == segment.name]
        broken = [gate.name for gate in here if gate.is_broken]
        if broken or not here:
            return held, broken
        if any(gate.holds for gate in here if gate.name in LATENCIES):
            held = number
    return held, []

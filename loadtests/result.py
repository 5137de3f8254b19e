"""The result of a run: a table for people, JSON for machines, and the exit code."""

import json
from dataclasses import asdict, dataclass
from typing import Any

from loadtests.capacity import Row
from loadtests.gates import Gate
from loadtests.ledger import Ledger
from loadtests.measurements import CALLS, FRESHNESS, Latencies, Measurements
from loadtests.run import Run


@dataclass(frozen=True)
class Load:
    """The load of a run.

    `cores` are the means of each part and of the machine; those of a board on another machine are not known.
    """

    visits_per_second: float
    calls_per_second: float
    cores: dict[str, float]
    release: str

    @property
    def lines(self) -> list[str]:
        """The same for people."""
        shares = ", ".join(f"{part} {used:.2f}" for part, used in self.cores.items()) or "unknown"
        return [
            f"load: {self.visits_per_second:.3g} visits/s, {self.calls_per_second:.3g} calls/s",
            f"cores used: {shares}",
            f"release of the board: {self.release}",
        ]


def load_of(run: Run, ledger: Ledger, measurements: Measurements, cores: dict[str, float], release: str) -> Load:
    """Return the load of the segments that took place."""
    seconds = sum(
        segment.seconds for number, segment in enumerate(run.profile.segments) if measurements.operations(number)
    )
    visits = sum(1 for _, segment in ledger["late"] if segment >= 0)
    calls = sum(part.calls for name, part in measurements.operations().items() if name != FRESHNESS)
    return Load(
        visits_per_second=visits / max(seconds, 1e-9),
        calls_per_second=calls / max(seconds, 1e-9),
        cores=cores,
        release=release,
    )


def table(measurements: Measurements, gates: list[Gate], load: Load) -> str:
    """Return the summary that ends a run."""
    lines = [f"{'operation':<24}{'calls':>9}{'failed':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"]
    lines += [row(name, part) for name, part in measurements.operations().items()]
    lines += ["", *load.lines]
    lines += ["", f"{'gate':<38}{'segment':<14}{'figure':<26}{'at most':<18}"]
    lines += [f"{gate.name:<38}{gate.where:<14}{gate.figure:<26}{gate.bound:<18}{gate.verdict}" for gate in gates]
    if unjudged := sum(gate.holds is None for gate in gates):
        lines.append(f"{unjudged} of {len(gates)} gates had too few samples to be judged: a longer run has more.")
    return "\n".join(lines)


def row(name: str, part: Latencies) -> str:
    known = [part.known_percentile(share) for share in CALLS]
    percentiles = "".join(f"{'-':>9}" if value is None else f"{value:>9.1f}" for value in known)
    return f"{name:<24}{part.calls:>9}{part.faults.total():>8}{percentiles}"


def machine_readable(run: Run, measurements: Measurements, gates: list[Gate], row: Row | None, load: Load) -> str:
    """Return the same as JSON. A percentile of too few calls is null, as is `holds` of a gate that was not judged."""
    operations: dict[str, Any] = {
        name: {
            "calls": part.calls,
            "faults": dict(part.faults),
            "p50_ms": part.known_percentile(0.5),
            "p95_ms": part.known_percentile(0.95),
            "p99_ms": part.known_percentile(0.99),
            "max_ms": part.percentile(1.0),
        }
        for name, part in measurements.operations().items()
    }
    content = {
        "profile": run.profile.name,
        "agents": run.count,
        "seconds": run.profile.seconds,
        **asdict(load),
        "operations": operations,
        "gates": [asdict(gate) for gate in gates],
        "carries": row and asdict(row),
        "holds": not any(gate.is_broken for gate in gates),
    }
    return json.dumps(content, indent=2) + "\n"

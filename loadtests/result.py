"""The result of a run: a table for people, JSON for machines, and the exit code."""

import json
from dataclasses import asdict
from typing import Any

from loadtests.capacity import Row
from loadtests.gates import Gate
from loadtests.measurements import Latencies, Measurements
from loadtests.profiles.profile import Profile
from loadtests.servers import Servers


def table(measurements: Measurements, gates: list[Gate], servers: Servers) -> str:
    """Return the summary that ends a run."""
    lines = [f"{'operation':<24}{'calls':>9}{'failed':>8}{'p50 ms':>9}{'p95 ms':>9}{'p99 ms':>9}"]
    lines += [row(name, part) for name, part in measurements.operations().items()]
    lines.append("")
    lines += [f"{name:<24}{share:>8.0%} of a core" for name, share in sorted(servers.cpu().items())]
    lines += ["", f"{'gate':<38}{'segment':<14}{'figure':<26}{'at most':<18}"]
    lines += [
        f"{gate.name:<38}{gate.where:<14}{gate.figure:<26}{gate.bound:<18}{'holds' if gate.holds else 'BROKEN'}"
        for gate in gates
    ]
    return "\n".join(lines)


def row(name: str, part: Latencies) -> str:
    percentiles = "".join(f"{part.percentile(share):>9.1f}" for share in (0.5, 0.95, 0.99))
    return f"{name:<24}{part.calls:>9}{part.faults.total():>8}{percentiles}"


def machine_readable(
    profile: Profile, agents: int, measurements: Measurements, gates: list[Gate], servers: Servers, row: Row | None
) -> str:
    """Return the same as JSON."""
    operations: dict[str, Any] = {
        name: {
            "calls": part.calls,
            "faults": dict(part.faults),
            "p50_ms": part.percentile(0.5),
            "p95_ms": part.percentile(0.95),
            "p99_ms": part.percentile(0.99),
        }
        for name, part in measurements.operations().items()
    }
    content = {
        "profile": profile.name,
        "agents": agents,
        "seconds": profile.seconds,
        "operations": operations,
        "gates": [asdict(gate) for gate in gates],
        "cpu": servers.cpu(),
        "carries": row and asdict(row),
        "holds": all(gate.holds for gate in gates),
    }
    return json.dumps(content, indent=2) + "\n"

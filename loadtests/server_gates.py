"""The gates that need the servers' own metrics: both sides count the same calls, neither process nor latency grows."""

from typing import Final

from loadtests.gates import WHOLE_RUN, Gate
from loadtests.measurements import CALLS, FRESHNESS, Measurements
from loadtests.profiles.profile import Profile
from loadtests.servers import Servers

COUNT_TOLERANCE: Final = 0.01
# So many calls may be under way at the begin and the end.
LEAST_APART: Final = 5
GROWTH_SHARE: Final = 0.1
LEAST_GROWTH: Final = {"memory": 8 << 20, "descriptors": 8, "connections": 4}
"""Less is the play of pools and caches, whatever its share."""
LEAST_MILLISECONDS: Final = 10
# A minute: a quarter of it has three.
LEAST_SAMPLES: Final = 12


def count_gates(measurements: Measurements, servers: Servers) -> list[Gate]:
    """Return the gate that client and servers agree on the number of calls, where both are known."""
    counted = servers.requests()
    if counted is None:
        return []
    sent = measurements.sent()
    apart = abs(counted - sent)
    holds: bool | None = apart <= max(COUNT_TOLERANCE * sent, LEAST_APART)
    if holds and COUNT_TOLERANCE * sent < LEAST_APART:
        holds = None
    return [Gate("calls counted by client and servers", WHOLE_RUN, f"{sent} and {counted}", "1 % apart", holds)]


def growth_gates(servers: Servers) -> list[Gate]:
    """Return the gates that no process grows from the second quarter of the run to its end."""
    return [
        growth_gate(f"growth of {gauge}", name, before, after, least, len(servers.samples[name]) >= LEAST_SAMPLES)
        for gauge, least in LEAST_GROWTH.items()
        for name, (before, after) in sorted(servers.growth(gauge).items())
    ]


def latency_gates(measurements: Measurements, profile: Profile) -> list[Gate]:
    """Return the gates that the latency of no operation grows from the second segment of the run to the last."""
    early, late = measurements.operations(1), measurements.operations(len(profile.segments) - 1)
    return [
        growth_gate(
            "growth of latency",
            name,
            part.percentile(0.5),
            late[name].percentile(0.5),
            LEAST_MILLISECONDS,
            min(part.calls, late[name].calls) >= CALLS[0.5],
        )
        for name, part in early.items()
        if name != FRESHNESS and name in late
    ]


def growth_gate(name: str, where: str, before: float, after: float, least: float, enough: bool) -> Gate:
    """Judge a growth, which must be more than `least` in its own unit, if there are `enough` samples."""
    share = after / before - 1 if before else 0.0
    holds = share <= GROWTH_SHARE or after - before <= least
    return Gate(name, where, f"{share:.0%}", f"{GROWTH_SHARE:.0%}", holds if enough else None)

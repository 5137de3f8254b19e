"""The gate that needs the servers' own metrics: both sides count the same calls."""

from typing import Final

from loadtests.gates import WHOLE_RUN, Gate
from loadtests.measurements import Measurements
from loadtests.servers import Servers

COUNT_TOLERANCE: Final = 0.01
# So many calls may be under way at the begin and the end.
LEAST_APART: Final = 5


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

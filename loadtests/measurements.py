"""Latencies and failures by segment and operation, mergeable over processes."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from math import floor, log10
from typing import Any, Final

Key = tuple[int, str]
FRESHNESS: Final = "inbox_freshness"
"""The operation under which the ages of events are recorded; they are no calls."""
CALLS: Final = {0.5: 20, 0.95: 200, 0.99: 1000}
"""How many calls a percentile needs to mean anything: ten above it."""


@dataclass
class Latencies:
    """The calls of one operation in one segment. Milliseconds are rounded to two digits, which bounds the memory."""

    milliseconds: Counter[float] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def calls(self) -> int:
        return self.milliseconds.total()

    def percentile(self, share: float) -> float:
        """Return the latency in milliseconds that this share of the calls, from 0 to 1, does not exceed."""
        rest = share * self.calls
        for value in sorted(self.milliseconds):
            rest -= self.milliseconds[value]
            if rest <= 0:
                return value
        return 0.0

    def known_percentile(self, share: float) -> float | None:
        """Return the latency of a share that has a bound in CALLS, or None if there are too few calls."""
        return self.percentile(share) if self.calls >= CALLS[share] else None

    def slower(self, seconds: float) -> int:
        """Return how many calls took longer."""
        return sum(count for value, count in self.milliseconds.items() if value > seconds * 1000)

    def errors(self) -> int:
        """Return how many calls failed on the board's side: no answer, or a 5xx."""
        return sum(count for fault, count in self.faults.items() if is_failure(fault))

    def add(self, other: "Latencies") -> None:
        """Add the calls of another process."""
        self.milliseconds.update(other.milliseconds)
        self.faults.update(other.faults)


class Measurements:
    """All calls of a run."""

    def __init__(self) -> None:
        self.parts: defaultdict[Key, Latencies] = defaultdict(Latencies)

    def record(self, segment: int, operation: str, milliseconds: float, fault: str | None) -> None:
        """Record one call."""
        part = self.parts[segment, operation]
        part.milliseconds[rounded(milliseconds)] += 1
        if fault is not None:
            part.faults[fault] += 1

    def drain(self) -> list[Any]:
        """Return everything in a form that can be sent, and start again."""
        packed = [
            [segment, operation, list(part.milliseconds.items()), list(part.faults.items())]
            for (segment, operation), part in self.parts.items()
        ]
        self.parts.clear()
        return packed

    def extend(self, packed: list[Any]) -> None:
        """Add what another process has drained."""
        for segment, operation, milliseconds, faults in packed:
            part = Latencies(Counter(dict(map(tuple, milliseconds))), Counter(dict(map(tuple, faults))))
            self.parts[segment, operation].add(part)

    def sent(self) -> int:
        """Return how many calls were made, those of the warm-up included."""
        return sum(part.calls for (_, operation), part in self.parts.items() if operation != FRESHNESS)

    def operations(self, segment: int | None = None) -> dict[str, Latencies]:
        """Return the latencies by operation, of one segment or of all, without those of the warm-up."""
        found: defaultdict[str, Latencies] = defaultdict(Latencies)
        for (number, operation), part in sorted(self.parts.items()):
            if number >= 0 if segment is None else number == segment:
                found[operation].add(part)
        return dict(found)


def is_failure(fault: str) -> bool:
    """Return whether the board failed to answer, and did not merely answer something unexpected."""
    return fault == "no answer" or fault.startswith("status 5")


def rounded(milliseconds: float) -> float:
    """Round to two significant digits, but not below a tenth of a millisecond."""
    if milliseconds < 1:
        return round(max(milliseconds, 0.1), 1)
    return round(milliseconds, 1 - floor(log10(milliseconds)))

"""The board's objectives (deploy/observability/README.md)."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Objective:
    """At most `budget` of the events may be bad. `seconds` is the bound of a latency or an age, or None."""

    name: str
    budget: float
    seconds: float | None = None


AVAILABILITY: Final = Objective("availability", 0.001)
READ_LATENCY: Final = Objective("read_latency", 0.01, 0.1)
WRITE_LATENCY: Final = Objective("write_latency", 0.01, 0.5)
INBOX_FRESHNESS: Final = Objective("inbox_freshness", 0.001, 10.0)

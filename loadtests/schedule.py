"""Whether the loader itself kept its schedule: a visit that starts late says nothing about the board."""

from typing import Final

from loadtests.errors import InvalidRun
from loadtests.gates import Gate, judged
from loadtests.ledger import Ledger
from loadtests.profiles import Profile

LATE_SHARE: Final = 0.05
SCHEDULE: Final = "the loader's schedule"


def late_share(ledger: Ledger, tolerance: float) -> float:
    """Return the share of the visits that started more than `tolerance` seconds late."""
    late = [seconds for seconds, _ in ledger["late"]]
    return float(sum(seconds > tolerance for seconds in late) / max(len(late), 1))


def check_schedule(ledger: Ledger, tolerance: float) -> None:
    """Raise InvalidRun when the loader itself could not keep its schedule. `tolerance` is in seconds."""
    share = late_share(ledger, tolerance)
    if share > LATE_SHARE:
        raise InvalidRun(
            f"The loader started {share:.0%} of the visits more than {tolerance:g} s late: use a faster machine, more "
            "processes (--workers) or fewer agents."
        )


def late_visits(ledger: Ledger, tolerance: float, segment: int) -> tuple[int, int]:
    """Return how many visits of a segment started more than `tolerance` seconds late, and how many there were."""
    late = [seconds for seconds, number in ledger["late"] if number == segment]
    return sum(seconds > tolerance for seconds in late), len(late)


def schedule_gates(ledger: Ledger, tolerance: float, profile: Profile) -> list[Gate]:
    """Return a gate for each segment with visits: where the loader is late, a ramp ends without the board's limit."""
    found = [(part.name, *late_visits(ledger, tolerance, number)) for number, part in enumerate(profile.segments)]
    return [
        Gate(
            SCHEDULE, name, f"{bad} of {visits} over {tolerance:g} s", f"{LATE_SHARE:.0%}",
            judged(bad, visits, LATE_SHARE),
        )
        for name, bad, visits in found
        if visits
    ]  # fmt: skip

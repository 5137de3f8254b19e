"""Whether the loader itself kept its schedule: a visit that starts late says nothing about the board."""

from typing import Final

from loadtests.errors import InvalidRun
from loadtests.gates import Gate
from loadtests.ledger import Ledger
from loadtests.profiles.profile import Profile

LATE_SHARE: Final = 0.05
SCHEDULE: Final = "the loader's schedule"


def late_share(ledger: Ledger, tolerance: float, segment: int | None = None) -> float:
    """Return the share of the visits, of one segment or of all, that started more than `tolerance` seconds late."""
    late = [seconds for seconds, number in ledger["late"] if segment is None or number == segment]
    return float(sum(seconds > tolerance for seconds in late) / max(len(late), 1))


def check_schedule(ledger: Ledger, tolerance: float) -> None:
    """Raise InvalidRun when the loader itself could not keep its schedule. `tolerance` is in seconds."""
    share = late_share(ledger, tolerance)
    if share > LATE_SHARE:
        raise InvalidRun(
            f"The loader started {share:.0%} of the visits more than {tolerance:g} s late: use a faster machine, more "
            "processes (--workers) or fewer agents."
        )


def schedule_gates(ledger: Ledger, tolerance: float, profile: Profile) -> list[Gate]:
    """Return a gate for each segment with visits: where the loader is late, a ramp ends without the board's limit."""
    return [
        Gate(SCHEDULE, segment.name, f"{share:.1%} over {tolerance:g} s", f"{LATE_SHARE:.0%}", share <= LATE_SHARE)
        for number, segment in enumerate(profile.segments)
        if any(entry[1] == number for entry in ledger["late"])
        for share in [late_share(ledger, tolerance, number)]
    ]

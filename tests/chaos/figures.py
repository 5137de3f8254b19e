"""The measurements of a part of a history on one line, and the failures that a promise does not allow."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from tests.history.callers import NEVER_BORNE, WAITED
from tests.history.record import CREATE, Call


def failures(calls: Iterable[Call]) -> Counter[str]:
    """Count the calls without a result by cause. A judge of its own reads the refusals by the limit on posts."""
    return Counter(call.cause for call in calls if call.cause and (call.status != 429 or call.does not in CREATE))


def unborne(failed: Mapping[str, int], bears: Sequence[str]) -> list[str]:
    """Return the failures that a promise does not allow. `bears` are those that it allows, or their first words."""
    return [
        f"{count} x {cause}"
        for cause, count in failed.items()
        if NEVER_BORNE in cause or not cause.startswith(tuple(bears))
    ]


def is_rare(failed: Mapping[str, int], calls: int) -> bool:
    """Return whether at most 1 of 100 calls failed, all of them after waiting for their turn to write.

    A write waits 2 s at most. A machine that is busy with other stacks keeps a core from PostgreSQL for longer than
    that while it holds the head's lock, whatever the board does.
    """
    return sum(failed.values()) * 100 <= calls and all(WAITED in cause for cause in failed)


def acknowledged(calls: Iterable[Call]) -> list[float]:
    """Return when posts were acknowledged."""
    return [call.ended for call in calls if call.status == 201 and call.does in CREATE and call.ended]


def seconds_of(calls: Iterable[Call]) -> list[float]:
    """Return the seconds of the calls that ended, the shortest first."""
    return sorted(call.ended - call.invoked for call in calls if call.ended)


def p99(seconds: Sequence[float]) -> float:
    return seconds[len(seconds) * 99 // 100] if seconds else 0.0


def longest_pause(moments: Sequence[float]) -> float:
    """Return the longest time between two successive moments."""
    return max((later - earlier for earlier, later in pairwise(sorted(moments))), default=0.0)


def line(calls: Sequence[Call], began: float, ended: float, recovered: float, more: Mapping[str, object]) -> str:
    """Return the figures of the calls that ended in a period, next to those before it.

    Seconds: `stalled` is the longest time without an acknowledged post, `recovered` the time from the end of the fault
    until every replica has acknowledged a write.
    """
    during = [call for call in calls if call.ended and began <= call.ended < ended]
    moments, took = acknowledged(during), seconds_of(during)
    calm = seconds_of(call for call in calls if call.ended and call.ended < began)
    failed = failures(during)
    causes = ", ".join(f"{cause} {count}" for cause, count in sorted(failed.items()))
    times = {"stalled": longest_pause([began, *moments]), "recovered": recovered, "longest": max(took, default=0.0)}
    return "  ".join([
        f"calls {len(during)}",
        f"acknowledged {len(moments)}",
        f"failed {failed.total()}" + f" ({causes})" * bool(causes),
        *(f"{name} {seconds:.1f} s" for name, seconds in times.items()),
        f"p99 {p99(took) * 1000:.0f} ms (before {p99(calm) * 1000:.0f} ms)",
        *(f"{name} {value}" for name, value in more.items()),
    ])  # fmt: skip

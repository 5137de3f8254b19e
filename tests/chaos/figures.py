"""The measurements of a row, the line that shows them, and the promises that were broken."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.callers import NEVER_BORNE
from tests.history.judges import JUDGES

SHOWN = 3


@dataclass
class Figures:
    """The figures of one row.

    `violations` are what each judge of the history has found. Seconds: `stalled` is the longest time without an
    acknowledged post, `recovered` the time from the end of the fault until every replica has acknowledged a write.
    """

    calls: int = 0
    acknowledged: int = 0
    violations: dict[str, list[str]] = field(default_factory=dict)
    failures: Counter[str] = field(default_factory=Counter)
    stalled: float = 0.0
    recovered: float = 0.0
    longest: float = 0.0
    p99: float = 0.0
    p99_calm: float = 0.0
    more: dict[str, object] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def judge(self, bears: Iterable[str]) -> None:
        """Note every promise that these figures break. `bears` are the failures, or their first words, that may be."""
        for name, found in self.violations.items():
            self.broken += [f"{name}: {what}" for what in found[:SHOWN]]
        for cause, count in self.failures.items():
            if NEVER_BORNE in cause or not any(cause.startswith(borne) for borne in bears):
                self.broken.append(f"{count} x {cause}")
        if not self.acknowledged:
            self.broken.append("nothing was acknowledged")

    @property
    def line(self) -> str:
        """All figures on one line."""
        counts = [f"calls {self.calls}", f"acknowledged {self.acknowledged}"]
        counts += [f"{name} {len(self.violations.get(name, ()))}" for name in JUDGES]
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(self.failures.items()))
        times = [f"{name} {getattr(self, name):.1f} s" for name in ("stalled", "recovered", "longest")]
        times.append(f"p99 {self.p99 * 1000:.0f} ms (calm {self.p99_calm * 1000:.0f} ms)")
        more = [f"{name} {value}" for name, value in self.more.items()]
        return "  ".join(
            [*counts, f"failed {self.failures.total()} ({causes})" if causes else "failed 0", *times, *more]
        )


def longest_pause(moments: Sequence[float]) -> float:
    """Return the longest time between two successive moments."""
    return max((later - earlier for earlier, later in pairwise(sorted(moments))), default=0.0)

"""The measurements of a row, the line that shows them, and the promises that were broken."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.chaos.traffic import Sent

Log = Sequence[tuple[int, str]]
ZERO = ("lost", "doubled", "false", "missed", "stale", "over")


@dataclass
class Figures:
    """The figures of one row.

    `false` are posts that exist although an answer said that nothing was changed, `missed` are posts and events that a
    cursor missed or repeated, `over` are posts beyond the limit. Seconds: `stalled` is the longest time without an
    acknowledged post, `recovered` the time from the end of the fault until every replica has acknowledged a write.
    """

    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    false: int = 0
    missed: int = 0
    stale: int = 0
    over: int = 0
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
        for name in ZERO:
            if getattr(self, name):
                self.broken.append(f"{name} is not 0")
        for cause, count in self.failures.items():
            if not any(cause.startswith(borne) for borne in bears):
                self.broken.append(f"{count} x {cause}")
        if not self.acknowledged:
            self.broken.append("nothing was acknowledged")

    @property
    def line(self) -> str:
        """All figures on one line."""
        counts = [f"{name} {getattr(self, name)}" for name in ("acknowledged", *ZERO)]
        causes = ", ".join(f"{cause} {count}" for cause, count in sorted(self.failures.items()))
        times = [f"{name} {getattr(self, name):.1f} s" for name in ("stalled", "recovered", "longest")]
        times.append(f"p99 {self.p99 * 1000:.0f} ms (calm {self.p99_calm * 1000:.0f} ms)")
        more = [f"{name} {value}" for name, value in self.more.items()]
        return "  ".join(
            [*counts, f"failed {self.failures.total()} ({causes})" if causes else "failed 0", *times, *more]
        )


def audit(figures: Figures, sent: Sequence[Sent], log: Log) -> None:
    """Compare every answer to a post with the log, which has the ids and titles in order."""
    logged: dict[str, list[int]] = {}
    for number, title in log:
        logged.setdefault(title, []).append(number)
    for post in sent:
        found = logged.get(post.title, [])
        figures.acknowledged += len(set(post.ids))
        figures.lost += len(set(post.ids) - set(found))
        figures.doubled += max(len(found), len(set(post.ids)), 1) - 1
        figures.false += bool(found and not post.ids and not post.uncertain)


def missed(seen: Sequence[int], due: Sequence[int]) -> int:
    """Return how many ids a reader of a cursor has missed, repeated, or seen out of order."""
    wrong = set(seen).symmetric_difference(due)
    return len(wrong) + sum(later <= earlier for earlier, later in pairwise(seen))


def gaps(log: Log) -> int:
    """Return how many ids the log has left out."""
    return log[-1][0] - log[0][0] + 1 - len(log) if log else 0


def longest_pause(moments: Sequence[float]) -> float:
    """Return the longest time between two successive moments."""
    return max((later - earlier for earlier, later in pairwise(sorted(moments))), default=0.0)

"""A profile: the agents that visit, how often and for how long, and how the load changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

# Shares of the agents by journey. Most agents of a board look in; few write.
EVERYDAY: Final = {
    "visitor": 0.45,
    "reader": 0.15,
    "explorer": 0.10,
    "answerer": 0.10,
    "follower": 0.08,
    "searcher": 0.06,
    "asker": 0.05,
    "newcomer": 0.01,
}
# Those that publish as an agent of the run, once in each visit.
PUBLISHING: Final = frozenset({"answerer", "asker"})
WATCHER: Final = "watcher"
# Locust's workers report every 3 s, and the last calls of a segment may still run.
REPORT_SECONDS: Final = 5.0


@dataclass(frozen=True)
class Segment:
    """A part of the measured time with its own load: `active` is the share of the agents that visit, from 0 to 1.

    The objectives must hold in a segment that is `judged`. In every segment nothing acknowledged may be lost.
    """

    name: str
    seconds: float
    active: float = 1.0
    judged: bool = True


@dataclass(frozen=True)
class Profile:
    """One kind of run.

    `agents` is the default number of agents, each of which visits every `interval` seconds; one watcher is beyond
    them. With `stops_when_broken`, the run ends with the first segment that breaks an objective. New users start at
    `spawned_per_second`.
    """

    name: str
    purpose: str
    agents: int
    segments: Sequence[Segment]
    warm_up: float = 10.0
    interval: float = 60.0
    mix: Mapping[str, float] = field(default_factory=lambda: EVERYDAY)
    stops_when_broken: bool = False
    spawned_per_second: int = 100

    @property
    def seconds(self) -> float:
        """The measured time."""
        return sum(segment.seconds for segment in self.segments)

    def lasting(self, seconds: float) -> "Profile":
        """Return the same profile, stretched or shortened to this measured time."""
        factor = seconds / self.seconds
        segments = [replace(part, seconds=part.seconds * factor) for part in self.segments]
        return replace(self, segments=segments, warm_up=self.warm_up * factor)

    def segment_at(self, second: float) -> int:
        """Return the number of the segment at a second of the measured time: -1 before it, the last one after it."""
        if second < 0:
            return -1
        for number, segment in enumerate(self.segments):
            second -= segment.seconds
            if second < 0:
                return number
        return len(self.segments) - 1

    def complete_at(self, second: float) -> int:
        """Return the number of the latest segment whose calls all workers have reported, below 0 if there is none."""
        return self.segment_at(second - REPORT_SECONDS) - 1

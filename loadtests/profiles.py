"""Profiles, the kinds of runs: the agents that visit, how often and for how long, and how the load changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from loadtests.errors import InvalidRun

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
RAMP_STEPS: Final = 10
RAMP_FACTOR: Final = 1.45
"""Each step of a ramp has this many times the agents of the one before it, and the last one has all."""


@dataclass(frozen=True)
class Segment:
    """A part of the measured time with its own load: `active` is the share of the agents that visit, from 0 to 1."""

    name: str
    seconds: float
    active: float = 1.0


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


SMOKE: Final = Profile(
    name="smoke",
    purpose="everyday use, to see whether the board holds its objectives at all",
    agents=120,
    segments=[Segment("steady", 60)],
)
STEADY: Final = Profile(
    name="steady", purpose="everyday use by many agents", agents=1000, segments=[Segment("steady", 600)], warm_up=60
)
RAMP: Final = Profile(
    name="ramp",
    purpose="ever more agents, until an objective breaks",
    agents=2000,
    segments=[
        Segment(f"{active:.0%}", 30, active)
        for active in (RAMP_FACTOR ** (step - RAMP_STEPS + 1) for step in range(RAMP_STEPS))
    ],
    interval=10,
    stops_when_broken=True,
    spawned_per_second=500,
)
PROFILES: Final = {profile.name: profile for profile in (SMOKE, STEADY, RAMP)}


def find(name: str) -> Profile:
    """Return the profile of this name. Raises InvalidRun."""
    if name not in PROFILES:
        raise InvalidRun(f"There is no profile {name!r}; choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]

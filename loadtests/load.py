"""The state that all users of one Locust process share: the profile, the agents not yet taken, and the records."""

import random
import time
from collections import deque
from dataclasses import dataclass, field

from loadtests.agents import Agent
from loadtests.ledger import Ledger
from loadtests.measurements import Measurements
from loadtests.profiles import Profile

NEWEST_THREADS = 200


@dataclass
class Load:
    """The state of a run in one process. `began` is the moment of time.perf_counter at which users started."""

    profile: Profile
    agents: deque[Agent]
    seed: int
    ledger: Ledger = field(default_factory=Ledger)
    measurements: Measurements = field(default_factory=Measurements)
    began: float = 0.0
    # threads of this run that others may answer, and when each post was acknowledged here
    threads: deque[int] = field(default_factory=lambda: deque(maxlen=NEWEST_THREADS))
    acknowledged_at: dict[int, float] = field(default_factory=dict)

    def start(self) -> None:
        """Begin the warm-up."""
        self.began = time.perf_counter()

    def second(self) -> float:
        """Return the second of the measured time; it is negative during the warm-up."""
        return time.perf_counter() - self.began - self.profile.warm_up

    def segment_at(self, moment: float) -> int:
        """Return the number of the segment at a moment of time.perf_counter; -1 during the warm-up."""
        return self.profile.segment_at(moment - self.began - self.profile.warm_up)

    def chance(self, name: str) -> random.Random:
        """Return a source of chance for one user, the same in every run with the same seed."""
        return random.Random(f"{self.seed}:{name}")

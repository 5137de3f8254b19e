"""The description of one run, as the command line and the environment give it; workers receive it as JSON."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from loadtests import profiles
from loadtests.errors import InvalidRun
from loadtests.profiles import EVERYDAY, PUBLISHING, Profile


@dataclass(frozen=True)
class Run:
    """One run. `agents` and `records` are paths of files.

    `late` is how many seconds late a visit may start, and `mix` the share of the agents that make each journey.
    """

    board: str
    profile_name: str
    count: int
    seconds: float
    interval: float
    workers: int
    seed: int
    agents: str
    records: str
    late: float = 0.1
    mix: Mapping[str, float] = field(default_factory=lambda: EVERYDAY)

    @property
    def profile(self) -> Profile:
        """Return the profile with this run's measured time, interval between visits and mix of journeys."""
        chosen = profiles.find(self.profile_name).lasting(self.seconds)
        return replace(chosen, interval=self.interval, mix=self.mix)

    def users(self, active: float) -> int:
        """Return the number of Locust's users while this share of the agents is active, with the watcher."""
        return max(1, round(self.count * active)) + 1

    def agents_needed(self) -> int:
        """Return how many accounts the users need together; workers take equal parts, so each gets a few to spare."""
        return self.users(1.0) + 2 * self.workers * len(self.profile.mix)

    def check(self, quota: int, window: float) -> None:
        """Raise InvalidRun when an agent would exceed the board's limit of `quota` posts in `window` seconds.

        A visit that starts late is closer to the next one, so the posts of both ends of a window count.
        """
        if not PUBLISHING & self.mix.keys():
            return
        posts = math.floor(window / self.interval) + 1
        if posts > quota:
            needed = window / max(quota - 1, 0.5)
            count = math.ceil(self.count * needed / self.interval)
            raise InvalidRun(
                f"An agent would publish up to {posts} posts in {window:g} s, and the board allows {quota}: for "
                f"the same load, let {count} agents visit every {needed:.3g} s."
            )

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Run":
        fields: dict[str, Any] = json.loads(text)
        return cls(**fields)

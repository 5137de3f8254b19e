"""Why an exact log: every other algorithm admits an 11th call within 60 s or refuses a 10th. These attacks find it.

The exact log under attack is window.lua itself, with a clock that the test sets.
"""

import asyncio
import itertools
import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

import pytest
import redis

from services.contract.checks import Check
from services.limiter import window
from services.limiter.window import Windows
from services.local.valkey import Valkey
from tests.limiter.clock import SECOND, Clock, set_by_hand

QUOTA = 10
WINDOW = 60 * SECOND
PACE = WINDOW // QUOTA
ids = itertools.count(1)


class Algorithm(Protocol):
    """Decides calls in order of their times, in microseconds."""

    def allows(self, moment: int) -> bool: ...


class FixedWindow:
    """Counts calls since the last full minute."""

    def __init__(self) -> None:
        self.number, self.count = -1, 0

    def allows(self, moment: int) -> bool:
        if moment // WINDOW != self.number:
            self.number, self.count = moment // WINDOW, 0
        allowed = self.count < QUOTA
        self.count += allowed
        return allowed


class SlidingCounter:
    """Counts calls in this minute and the previous one, weighting the previous one by the share that still counts."""

    def __init__(self) -> None:
        self.counts: dict[int, int] = {}

    def allows(self, moment: int) -> bool:
        number, into = divmod(moment, WINDOW)
        now, before = self.counts.get(number, 0), self.counts.get(number - 1, 0)
        # in whole numbers: now + before * (1 - into / WINDOW) < QUOTA
        allowed = now * WINDOW + before * (WINDOW - into) < QUOTA * WINDOW
        self.counts[number] = now + allowed
        return allowed


class GCRA:
    """Admits one call every 6 s, after an initial burst of this size."""

    def __init__(self, burst: int) -> None:
        self.tolerance = (burst - 1) * PACE
        self.due = -WINDOW

    def allows(self, moment: int) -> bool:
        allowed = moment >= self.due - self.tolerance
        if allowed:
            self.due = max(self.due, moment) + PACE
        return allowed


class WindowLua:
    """The real algorithm."""

    def __init__(self, runner: asyncio.Runner, windows: Windows, clock: Clock) -> None:
        self.runner, self.windows, self.clock = runner, windows, clock
        self.key = f"agent {next(ids)}"

    def allows(self, moment: int) -> bool:
        self.clock.set(1_800_000_000 * SECOND + moment)
        check = Check("posts", self.key, str(next(ids)), QUOTA, WINDOW // SECOND)
        (decision,) = self.runner.run(self.windows.decide([check]))
        return decision.state == window.COUNTED


def faults(algorithm: Algorithm, moments: list[int]) -> set[str]:
    """Return an algorithm's mistakes on calls at these times; the rule is ten in any 60 s, and no fewer."""
    counted: deque[int] = deque(maxlen=QUOTA)
    found = set()
    for moment in moments:
        legal = len(counted) < QUOTA or moment - counted[0] >= WINDOW
        if algorithm.allows(moment):
            counted.append(moment)
            found |= set() if legal else {"admits an 11th"}
        else:
            found |= {"refuses a 10th"} if legal else set()
    return found


def attacks(count: int = 300) -> Iterator[list[int]]:
    """Return call times that an adversary would try: bursts around every edge, and random times."""
    chance = random.Random(60)
    edges = [WINDOW, WINDOW // 2, PACE, WINDOW - 1, WINDOW + 1, PACE - 1, 1, 0, SECOND]
    for _ in range(count):
        moment = chance.randrange(2 * WINDOW)
        moments: list[int] = []
        while len(moments) < 45:
            moments += [moment] * chance.choice([1, 1, 2, 5, 10, 11])
            moment += chance.choice([*edges, chance.randrange(2 * WINDOW)])
        yield moments


WRONG: list[tuple[str, Callable[[], Algorithm], set[str]]] = [
    ("fixed window", FixedWindow, {"admits an 11th"}),
    ("sliding counter", SlidingCounter, {"admits an 11th", "refuses a 10th"}),
    ("GCRA with a burst of ten", lambda: GCRA(QUOTA), {"admits an 11th"}),
    ("GCRA without a burst", lambda: GCRA(1), {"refuses a 10th"}),
]


@pytest.mark.parametrize(("make", "expected"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG])
def test_every_other_algorithm_is_caught(make: Callable[[], Algorithm], expected: set[str]) -> None:
    assert set().union(*(faults(make(), moments) for moments in attacks())) == expected


@pytest.mark.parametrize("count", [30, pytest.param(300, marks=pytest.mark.slow)])
def test_the_exact_log_is_never_caught(valkey: Valkey, store: redis.Redis, count: int) -> None:
    with asyncio.Runner() as runner, set_by_hand(store) as clock:
        windows = Windows(valkey.url())
        for moments in attacks(count):
            assert faults(WindowLua(runner, windows, clock), moments) == set(), moments
        runner.run(windows.close())

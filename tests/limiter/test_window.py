"""window.lua decides lists of checks exactly by its rule, and leaves no data behind; the test sets its clock."""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from services.contract.checks import Check
from services.contract.limits import Rate
from services.limiter.window import COUNTED, COUNTED_BEFORE, REFUSED, Decision, Windows, window_key
from services.local.valkey import Valkey
from tests.limiter.clock import SECOND, Clock, set_by_hand

QUOTA = 3
WINDOW = 60 * SECOND
BASE = 1_800_000_000 * SECOND
RATES = {"posts": Rate(QUOTA, 60), "votes": Rate(2, 10)}
numbers = itertools.count(1)

EDGES = [edge + near for edge in (WINDOW, 10 * SECOND) for near in (-1, 0, 1)]
GAPS = st.sampled_from([0, 0, 1, SECOND, *EDGES]) | st.integers(0, 70 * SECOND)
CHECKS = st.tuples(st.sampled_from(sorted(RATES)), st.sampled_from("ab"), st.integers(0, 5))
STEPS = st.lists(st.tuples(GAPS, st.lists(CHECKS, max_size=6), st.lists(CHECKS, max_size=2)), max_size=25)


@dataclass
class Rule:
    """The rule in its simplest form, with one entry per call that counts."""

    windows: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)

    def decide(self, check: Check, now: int) -> Decision:
        window = check.window * SECOND
        calls = self.windows.setdefault((check.policy, check.key), {})
        for known in [known for known, moment in calls.items() if now - moment >= window]:
            del calls[known]
        state, retry = COUNTED, 0
        if check.id in calls:
            state = COUNTED_BEFORE
        elif len(calls) >= check.quota:
            state = REFUSED
        if state == COUNTED:
            calls[check.id] = now
        newest = sorted(calls.values(), reverse=True)[: check.quota]
        reset = newest[-1] + window - now
        if state == REFUSED:
            retry = reset
        return Decision(state, len(calls), reset / SECOND, retry / SECOND)

    def release(self, check: Check) -> bool:
        return self.windows.get((check.policy, check.key), {}).pop(check.id, None) is not None


class Store:
    """Windows with a clock, called without await."""

    def __init__(self, url: str, clock: Clock, connection: redis.Redis) -> None:
        self.runner = asyncio.Runner()
        self.windows = Windows(url)
        self.clock = clock
        self.connection = connection

    def decide(self, moment: int, *checks: Check) -> list[Decision]:
        self.clock.set(moment)
        return self.runner.run(self.windows.decide(checks))

    def release(self, *checks: Check) -> list[bool]:
        return self.runner.run(self.windows.release(checks))

    def close(self) -> None:
        self.runner.run(self.windows.close())
        self.runner.close()


@pytest.fixture
def clocked(valkey: Valkey, store: redis.Redis) -> Iterator[Store]:
    with set_by_hand(store) as clock:
        clocked = Store(valkey.url(), clock, store)
        yield clocked
        clocked.close()


def check(policy: str = "posts", key: str = "alice", number: int | None = None) -> Check:
    return Check(policy, key, f"id-{next(numbers) if number is None else number}", *RATES[policy])


def test_lists_of_checks_and_releases_follow_the_rule(clocked: Store) -> None:
    @settings(max_examples=120, deadline=None, derandomize=True, database=None)
    @given(steps=STEPS)
    def follow_the_rule(
        steps: list[tuple[int, list[tuple[str, str, int]], list[tuple[str, str, int]]]],
    ) -> None:
        clocked.connection.flushall()
        rule, moment = Rule(), BASE
        for gap, asked, unused in steps:
            moment += gap
            checks = [check(*one) for one in asked]
            decided = clocked.decide(moment, *checks)
            assert decided == [rule.decide(one, moment) for one in checks]
            released = [check(*one) for one in unused]
            expected = [rule.release(one) for one in released]
            # a check released after the end of its window may or may not still be there
            for was_there, counted, one in zip(clocked.release(*released), expected, released, strict=True):
                assert was_there or not counted, one

    follow_the_rule()


def test_a_clock_that_is_set_back_refuses_no_call(clocked: Store) -> None:
    clocked.decide(BASE + 3600 * SECOND, check(), check(), check())
    assert clocked.decide(BASE, check())[0] == Decision(COUNTED, 1, 60.0, 0.0)
    # it should keep the calls before the new time
    clocked.connection.flushall()
    clocked.decide(BASE, check(), check())
    clocked.decide(BASE + 30 * SECOND, check())
    assert [j.state for j in clocked.decide(BASE + 10 * SECOND, check(), check())] == [COUNTED, REFUSED]
    # it should count from the new time
    clocked.connection.flushall()
    clocked.decide(BASE + 30 * SECOND, check())
    assert clocked.decide(BASE, check()) == [Decision(COUNTED, 2, 60.0, 0.0)]


def test_a_window_expires_when_nothing_in_it_counts_any_more(clocked: Store) -> None:
    clocked.decide(BASE, check("votes"), check())
    for policy, seconds in (("votes", 10), ("posts", 60)):
        left = clocked.connection.pttl(window_key(policy, "alice"))
        assert seconds * 1000 - 5000 < left <= seconds * 1000 + 1
    # it should hold no more than the quota, however many checks arrive
    clocked.decide(BASE, *(check() for _ in range(50)))
    assert clocked.connection.zcard(window_key("posts", "alice")) == QUOTA


def test_each_check_is_decided_by_its_own_rate(clocked: Store) -> None:
    for number in range(5):
        clocked.decide(BASE + number * SECOND, Check("posts", "alice", str(number), 10, 60))
    now = BASE + 10 * SECOND
    # a stricter quota, a shorter window that no longer holds the calls, and the first rate
    stricter, shorter, first = (Check("posts", "alice", "x", *rate) for rate in ((4, 60), (1, 5), (10, 60)))
    assert clocked.decide(now, stricter) == [Decision(REFUSED, 5, 51.0, 51.0)]
    assert clocked.decide(now, first)[0].state == COUNTED
    assert clocked.release(first) == [True]
    assert clocked.decide(now, shorter) == [Decision(COUNTED, 1, 5.0, 0.0)]

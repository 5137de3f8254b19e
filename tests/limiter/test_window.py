"""window.lua decides exactly as its rule says, in lists, and leaves nothing behind; its clock is the test's."""

import asyncio
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import redis
from hypothesis import given, settings
from hypothesis import strategies as st

from deploy.local.valkey import Valkey
from services.board.contract.checks import Check
from services.limiter.policies import Policy
from services.limiter.window import COUNTED, COUNTED_BEFORE, REFUSED, SHADOW, Judged, Windows, window_key
from tests.limiter.clock import SECOND, Clock, set_by_hand

QUOTA = 3
WINDOW = 60 * SECOND
BASE = 1_800_000_000 * SECOND
POLICIES = {
    "posts": Policy("posts", QUOTA, 60),
    "votes": Policy("votes", 2, 10),
    "acks": Policy("acks", QUOTA, 60, shadow=True),
}
numbers = itertools.count(1)

EDGES = [edge + near for edge in (WINDOW, 10 * SECOND) for near in (-1, 0, 1)]
GAPS = st.sampled_from([0, 0, 1, SECOND, *EDGES]) | st.integers(0, 70 * SECOND)
MADE = st.sampled_from([False, False, True])
CHECKS = st.tuples(st.sampled_from(sorted(POLICIES)), st.sampled_from("ab"), st.integers(0, 5), MADE)
STEPS = st.lists(st.tuples(GAPS, st.lists(CHECKS, max_size=6), st.lists(CHECKS, max_size=2)), max_size=25)


@dataclass
class Rule:
    """The rule, as plainly as it can be said, with one entry per call that counts."""

    windows: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)

    def judge(self, check: Check, now: int) -> Judged:
        policy = POLICIES[check.policy]
        window = policy.window * SECOND
        calls = self.windows.setdefault((check.policy, check.key), {})
        for known in [known for known, moment in calls.items() if now - moment >= window]:
            del calls[known]
        state, retry = COUNTED, 0
        if check.id in calls:
            state = COUNTED_BEFORE
        elif len(calls) >= policy.quota:
            state = SHADOW if policy.shadow else REFUSED
        if state == COUNTED or (check.made and state != COUNTED_BEFORE):
            calls[check.id] = now
        newest = sorted(calls.values(), reverse=True)[: policy.quota]
        reset = newest[-1] + window - now
        if state == REFUSED:
            retry = reset
        return Judged(state, len(calls), reset / SECOND, retry / SECOND)

    def release(self, check: Check) -> bool:
        return self.windows.get((check.policy, check.key), {}).pop(check.id, None) is not None


class Store:
    """Windows under a clock, called without await."""

    def __init__(self, url: str, clock: Clock, connection: redis.Redis) -> None:
        self.runner = asyncio.Runner()
        self.windows = Windows(url)
        self.clock = clock
        self.connection = connection

    def judge(self, moment: int, *checks: Check) -> list[Judged]:
        self.clock.set(moment)
        return self.runner.run(self.windows.judge(0, POLICIES, checks)) or []

    def release(self, *checks: Check) -> list[bool]:
        return self.runner.run(self.windows.release(checks))

    def fill(self, key: str, *ages: int) -> None:
        """Put posts of these ages, in microseconds, into a window."""
        for number, age in enumerate(ages):
            self.connection.zadd(window_key("posts", key), {f"old-{number}": BASE - age})

    def close(self) -> None:
        self.runner.run(self.windows.close())
        self.runner.close()


@pytest.fixture
def clocked(valkey: Valkey, store: redis.Redis) -> Iterator[Store]:
    with set_by_hand(store) as clock:
        clocked = Store(valkey.url(), clock, store)
        yield clocked
        clocked.close()


def check(policy: str = "posts", key: str = "alice", number: int | None = None, made: bool = False) -> Check:
    return Check(policy, key, f"id-{next(numbers) if number is None else number}", made)


def test_lists_of_checks_and_releases_are_decided_as_the_rule_says(clocked: Store) -> None:
    @settings(max_examples=120, deadline=None, derandomize=True, database=None)
    @given(steps=STEPS)
    def as_the_rule_says(
        steps: list[tuple[int, list[tuple[str, str, int, bool]], list[tuple[str, str, int, bool]]]],
    ) -> None:
        clocked.connection.flushall()
        rule, moment = Rule(), BASE
        for gap, asked, unused in steps:
            moment += gap
            checks = [check(*one) for one in asked]
            judged = clocked.judge(moment, *checks)
            assert judged == [rule.judge(one, moment) for one in checks]
            released = [check(*one) for one in unused]
            expected = [rule.release(one) for one in released]
            # what is released after its window has ended may or may not still be there
            for was_there, counted, one in zip(clocked.release(*released), expected, released, strict=True):
                assert was_there or not counted, one

    as_the_rule_says()


@pytest.mark.parametrize(
    ("ages", "state"),
    [
        ([WINDOW - 1, 0, 0], REFUSED),
        ([WINDOW, 0, 0], COUNTED),
        ([WINDOW + 1, 0, 0], COUNTED),
        ([0, 0, 0], REFUSED),
        ([0, 0], COUNTED),
        ([], COUNTED),
    ],
)
def test_a_slot_is_free_exactly_one_window_after_it_was_taken(clocked: Store, ages: list[int], state: int) -> None:
    clocked.fill("alice", *ages)
    assert clocked.judge(BASE, check())[0].state == state


def test_the_figures_say_what_is_left_and_for_how_long(clocked: Store) -> None:
    for number, age in enumerate((0, 20, 50)):
        (judged,) = clocked.judge(BASE + age * SECOND, check())
        assert judged == Judged(COUNTED, number + 1, 60.0 - age, 0.0)
    # it should say of a refused call when a slot is free, and count nothing for it
    assert clocked.judge(BASE + 59 * SECOND, check(), check()) == [Judged(REFUSED, 3, 1.0, 1.0)] * 2
    assert clocked.judge(BASE + 60 * SECOND, check()) == [Judged(COUNTED, 3, 20.0, 0.0)]


def test_a_call_that_waits_as_long_as_it_was_told_is_not_refused_again(clocked: Store) -> None:
    clocked.judge(BASE, check(), check(), check())
    (refused,) = clocked.judge(BASE + 123_457, check())
    free = BASE + 123_457 + math.ceil(refused.retry * SECOND)
    assert clocked.judge(free - 1, check())[0].state == REFUSED
    assert clocked.judge(free, check())[0].state == COUNTED


def test_a_check_repeated_with_its_id_is_counted_once(clocked: Store) -> None:
    first = check()
    assert clocked.judge(BASE, first)[0].state == COUNTED
    # it should be so in the same list, later, and when the window is full by then
    assert [judged.state for judged in clocked.judge(BASE, first, check(), first, check(), first, check())] == [
        COUNTED_BEFORE, COUNTED, COUNTED_BEFORE, COUNTED, COUNTED_BEFORE, REFUSED,
    ]  # fmt: skip
    # it should go by its first time, and be a new call once that has left the window
    assert clocked.judge(BASE + WINDOW - 1, first)[0].state == COUNTED_BEFORE
    assert clocked.judge(BASE + WINDOW, first)[0].state == COUNTED


def test_a_released_check_makes_room_at_once(clocked: Store) -> None:
    checks = [check() for _ in range(QUOTA)]
    clocked.judge(BASE, *checks)
    assert clocked.release(checks[1], checks[1], check()) == [True, False, False]
    assert [judged.state for judged in clocked.judge(BASE, check(), check())] == [COUNTED, REFUSED]


def test_what_is_made_already_counts_over_the_quota(clocked: Store) -> None:
    clocked.judge(BASE, *(check() for _ in range(QUOTA)))
    late = check(made=True)
    assert clocked.judge(BASE + 10 * SECOND, late) == [Judged(REFUSED, 4, 50.0, 50.0)]
    assert clocked.judge(BASE + 10 * SECOND, late)[0].state == COUNTED_BEFORE
    # it should keep others out until it has left, and make room when it is released
    assert [judged.state for judged in clocked.judge(BASE + 60 * SECOND, check(), check(), check())] == [
        COUNTED, COUNTED, REFUSED,
    ]  # fmt: skip
    assert clocked.release(late) == [True]
    assert clocked.judge(BASE + 60 * SECOND, check())[0].state == COUNTED


def test_windows_of_other_keys_and_policies_are_apart(clocked: Store) -> None:
    clocked.judge(BASE, *(check() for _ in range(QUOTA)))
    states = [judged.state for judged in clocked.judge(BASE, check(), check(key="bob"), check("votes"))]
    assert states == [REFUSED, COUNTED, COUNTED]


def test_a_lowered_quota_holds_at_once_and_says_how_long(clocked: Store) -> None:
    clocked.fill("alice", 50 * SECOND, 40 * SECOND, 30 * SECOND, 20 * SECOND, 10 * SECOND)
    # it should wait for the third newest, not for the oldest
    assert clocked.judge(BASE, check()) == [Judged(REFUSED, 5, 30.0, 30.0)]


def test_a_clock_that_is_set_back_holds_nobody_up(clocked: Store) -> None:
    clocked.judge(BASE + 3600 * SECOND, check(), check(), check())
    assert clocked.judge(BASE, check())[0] == Judged(COUNTED, 1, 60.0, 0.0)
    # it should keep what lies before the new time
    clocked.connection.flushall()
    clocked.judge(BASE, check(), check())
    clocked.judge(BASE + 30 * SECOND, check())
    assert [j.state for j in clocked.judge(BASE + 10 * SECOND, check(), check())] == [COUNTED, REFUSED]
    # it should count from the new time
    clocked.connection.flushall()
    clocked.judge(BASE + 30 * SECOND, check())
    assert clocked.judge(BASE, check()) == [Judged(COUNTED, 2, 60.0, 0.0)]


def test_a_window_expires_when_nothing_in_it_counts_any_more(clocked: Store) -> None:
    clocked.judge(BASE, check("votes"), check())
    for policy, seconds in (("votes", 10), ("posts", 60)):
        left = clocked.connection.pttl(window_key(policy, "alice"))
        assert seconds * 1000 - 5000 < left <= seconds * 1000 + 1
    # it should hold no more than the quota, whatever is asked of it
    clocked.judge(BASE, *(check() for _ in range(50)))
    assert clocked.connection.zcard(window_key("posts", "alice")) == QUOTA


def test_nothing_is_judged_by_another_revision_of_the_policies(clocked: Store) -> None:
    clocked.connection.hset("limit-policies", "revision", 7)
    clocked.clock.set(BASE)
    assert clocked.runner.run(clocked.windows.judge(6, POLICIES, [check()])) is None
    assert clocked.connection.keys("limit:*") == []
    assert clocked.runner.run(clocked.windows.judge(7, POLICIES, [check()])) is not None

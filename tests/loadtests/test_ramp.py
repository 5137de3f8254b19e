"""The gates of a ramp: the last step that held, and the gate that ended it."""

from dataclasses import replace

import pytest

from loadtests import capacity
from loadtests.gates import Gate
from loadtests.ledger import Ledger
from loadtests.ramps import INTERVALS
from loadtests.run import Run
from loadtests.schedule import SCHEDULE, schedule_gates
from services.contract.limits import POSTS

RAMP = Run(
    "", "ramp", count=100, seconds=20, interval=2, workers=1, seed=1, agents="", records="", mix={"reader": 1}
)  # fmt: skip
STEPS = [segment.name for segment in RAMP.profile.segments]


def gate(step: int, holds: bool | None, name: str = "read_latency") -> Gate:
    return Gate(name, STEPS[step], "", "", holds)


@pytest.mark.parametrize("journey", INTERVALS)
def test_the_ramp_of_each_journey_keeps_the_limit_of_a_board(journey: str) -> None:
    replace(RAMP, interval=INTERVALS[journey], mix={journey: 1}).check(POSTS.quota, POSTS.window)


@pytest.mark.parametrize(
    ("gates", "held", "broken"),
    [
        ([gate(0, True), gate(1, True), gate(2, False)], 1, ["read_latency"]),
        ([gate(0, True), gate(1, False), gate(1, False, SCHEDULE), gate(2, True)], 0, ["read_latency", SCHEDULE]),
        ([gate(0, False)], -1, ["read_latency"]),
        ([gate(0, True)], 0, []),
        ([gate(0, None), gate(1, None), gate(2, True), gate(3, None)], 2, []),
        ([gate(0, None), gate(0, True, SCHEDULE), gate(1, False)], -1, ["read_latency"]),
        ([gate(step, True) for step in range(len(STEPS))], len(STEPS) - 1, []),
    ],
)
def test_the_last_step_that_held_is_before_the_first_that_broke(
    gates: list[Gate], held: int, broken: list[str]
) -> None:
    assert capacity.last_that_held(RAMP, gates) == (held, broken)


def test_a_step_in_which_the_loader_is_late_does_not_hold() -> None:
    ledger = Ledger()
    for step, late in ((0, 0.0), (1, 0.01), (2, 0.3)):
        for _ in range(40):
            ledger.add("late", late, step)
    ledger.add("late", 0.3, 3)
    gates = schedule_gates(ledger, 0.1, RAMP.profile)
    assert [one.holds for one in gates] == [True, True, False, None]
    assert [one.where for one in gates] == STEPS[:4]

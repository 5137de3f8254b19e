"""The result of a ramp: the last step that held, the gate that ended it, the first part at its limit, CPU by visit."""

from dataclasses import replace

import pytest

from loadtests import capacity
from loadtests.__main__ import parser
from loadtests.gates import Gate
from loadtests.ledger import Ledger
from loadtests.measurements import Measurements
from loadtests.processes import Processes
from loadtests.profiles.profile import REPORT_SECONDS
from loadtests.ramps import INTERVALS
from loadtests.run import Run
from loadtests.schedule import SCHEDULE, schedule_gates
from loadtests.server_gates import growth_gate, latency_gates
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


def test_a_step_is_judged_once_all_workers_have_reported_its_calls() -> None:
    steps = RAMP.profile
    first, second = (part.seconds for part in steps.segments[:2])
    moments = (0, first, first + REPORT_SECONDS - 0.1, first + REPORT_SECONDS, first + second + REPORT_SECONDS)
    assert [steps.complete_at(moment) for moment in moments] == [-2, -2, -1, 0, 1]


def test_a_row_counts_the_visits_and_calls_of_the_step_that_held() -> None:
    ledger, measurements = Ledger(), Measurements()
    for step, visits in ((0, 10), (1, 30), (2, 60)):
        for _ in range(visits):
            ledger.add("late", 0.0, step)
            measurements.record(step, "list_threads", 1.0, None)
            measurements.record(step, "read_thread", 1.0, None)
    processes = Processes(None)
    processes.samples = [(0.0, {"api": 0.0}), (1.0, {"api": 7.0}), (3.0, {"api": 7.3})]
    gates = [gate(0, True), gate(1, True), gate(2, False)]
    row = capacity.row(RAMP, gates, ledger, measurements, processes, 1.0)
    assert (row.journey, row.visits, row.calls, row.broken) == ("reader", 15, 30, ["read_latency"])
    # only the CPU time since the measured time began is divided, by all visits in it
    assert row.cpu == {"api": pytest.approx(3.0)}
    assert str(row) == "| reader | 15 | 30 | read_latency | nothing | 3.00 | ? | ? | ? | ? | ? |"


def test_the_first_part_at_its_limit_is_named_with_what_the_others_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    processes = Processes(None)
    processes.samples = [
        (0.0, {"api": 0.0, "postgresql": 0.0, "loader": 0.0, "machine": 0.0}),
        (1.0, {"api": 1.0, "postgresql": 0.1, "loader": 0.0, "machine": 1.1}),
        (2.0, {"api": 1.5, "postgresql": 1.1, "loader": 0.2, "machine": 3.0}),
        (3.0, {"api": 2.4, "postgresql": 1.9, "loader": 0.5, "machine": 5.0}),
        (4.0, {"api": 2.5, "postgresql": 3.9, "loader": 1.5, "machine": 9.0}),
    ]
    # PostgreSQL has a process for each connection, so one core is not its limit
    assert processes.saturated_first(1.0) == "api (cores: api 0.90, postgresql 0.80, loader 0.30)"
    assert processes.saturated_first(3.0).startswith("loader (cores: postgresql 2.00, loader 1.00")
    assert processes.saturated_first(9.0) == "unknown"


def test_a_step_in_which_the_loader_is_late_does_not_hold() -> None:
    ledger = Ledger()
    for step, late in ((0, 0.0), (1, 0.01), (2, 0.3)):
        for _ in range(40):
            ledger.add("late", late, step)
    ledger.add("late", 0.3, 3)
    gates = schedule_gates(ledger, 0.1, RAMP.profile)
    assert [one.holds for one in gates] == [True, True, False, None]
    assert [one.where for one in gates] == STEPS[:4]


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [(100, 109, True), (100, 112, False), (9, 12, True), (9, 14, False), (0, 100, True), (100, 50, True)],
)
def test_growth_is_a_share_and_more_than_the_play_of_a_pool(before: float, after: float, holds: bool) -> None:
    assert growth_gate("growth of connections", "api-1", before, after, least=4, enough=True).holds is holds
    assert growth_gate("growth of connections", "api-1", before, after, least=4, enough=False).holds is None


def test_latency_that_rises_from_one_quarter_to_the_last_breaks_its_gate() -> None:
    measurements = Measurements()
    for segment, home, threads in ((0, 500.0, 20.0), (1, 20.0, 20.0), (2, 30.0, 20.0), (3, 40.0, 20.0)):
        for _ in range(20):
            measurements.record(segment, "read_home", home, None)
            measurements.record(segment, "list_threads", threads, None)
        measurements.record(segment, "read_thread", home, None)
    soak = Run("", "soak", count=1, seconds=60, interval=60, workers=1, seed=1, agents="", records="").profile
    assert {one.where: one.holds for one in latency_gates(measurements, soak)} == {
        "list_threads": True, "read_home": False, "read_thread": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "mix"),
    [("reader", {"reader": 1}), ("visitor=0.8,asker=0.2", {"visitor": 0.8, "asker": 0.2})],
)
def test_the_mix_of_journeys_is_a_setting(text: str, mix: dict[str, float]) -> None:
    assert parser().parse_args([f"--mix={text}"]).mix == mix


@pytest.mark.parametrize("text", ["flooder", "visitor=none", "visitor=0", "visitor=2", "", "visitor=nan"])
def test_a_mix_that_is_none_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args([f"--mix={text}"])
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err

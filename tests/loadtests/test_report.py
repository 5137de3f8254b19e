"""The report of a run claims nothing of too few samples, and names everything that its figures depend on."""

import json
from pathlib import Path
from typing import Any

import pytest

from loadtests import conditions, profiles, result
from loadtests.gates import Gate, judge, judged
from loadtests.headroom import last_capacity
from loadtests.ledger import Ledger
from loadtests.measurements import FRESHNESS, Measurements
from loadtests.processes import LOADER, MACHINE, Processes
from loadtests.run import Run
from loadtests.servers import Servers
from loadtests.verification import Findings
from tests.processes import CHECKOUT

HERE = "2 cores of a test"


def run_in(folder: Path, seconds: float = 60) -> Run:
    return Run(
        "", "steady", count=100, seconds=seconds, interval=20, workers=1, seed=1, agents="",
        records=str(folder / "20261127-run" / "records.json"), mix={"reader": 0.75, "asker": 0.25},
    )  # fmt: skip


def measured(calls: int, slow: int = 0) -> Measurements:
    measurements = Measurements()
    for operation in ("read_home", "create_thread", FRESHNESS):
        for number in range(calls):
            measurements.record(0, operation, 60_000.0 if number < slow else 5.0, None)
    return measurements


def verdicts(measurements: Measurements, findings: Findings | None = None) -> dict[str, str]:
    gates = judge(measurements, profiles.find("steady"), Ledger(), findings or Findings())
    return {gate.name: gate.verdict for gate in gates}


LATENCIES = ("read_latency", "write_latency", "inbox_freshness", "availability")


def test_an_objective_with_too_few_calls_is_not_judged() -> None:
    found = verdicts(measured(20))
    assert [found[name] for name in LATENCIES] == ["not judged"] * 4
    found = verdicts(measured(200))
    assert [found[name] for name in LATENCIES] == ["holds", "holds", "not judged", "not judged"]
    assert set(verdicts(measured(2000)).values()) == {"holds", "not judged"}
    assert all(verdicts(measured(2000))[name] == "holds" for name in LATENCIES)


def test_an_objective_is_broken_however_few_calls_there_are() -> None:
    found = verdicts(measured(20, slow=2))
    assert [found[name] for name in LATENCIES[:3]] == ["BROKEN"] * 3
    assert verdicts(measured(20, slow=1))["read_latency"] == "not judged"


@pytest.mark.parametrize(("bad", "events", "holds"), [(0, 0, None), (0, 199, None), (1, 199, None), (0, 200, True),
                                                      (2, 200, True), (3, 200, False), (2, 20, False)])  # fmt: skip
def test_a_share_is_judged_where_two_bad_events_would_be_within_its_budget(
    bad: int, events: int, holds: bool | None
) -> None:
    assert judged(bad, events, 0.01) is holds


def test_a_comparison_of_nothing_is_not_judged() -> None:
    findings = Findings()
    findings.checked["votes that do not add up"] = 3
    found = verdicts(measured(20), findings)
    assert found["votes that do not add up"] == found["wrong answers"] == "holds"
    assert found["receipts that do not match"] == "not judged"
    assert "posts of a wave in sight" not in found
    findings.add("receipts that do not match", 7)
    assert verdicts(measured(20), findings)["receipts that do not match"] == "BROKEN"


def ramp(
    folder: Path,
    day: str,
    journey: str,
    visits: float,
    machine: str = HERE,
    broken: tuple[str, ...] = ("read_latency",),
) -> None:
    place = folder / f"{day}-120000-ramp-{journey}"
    place.mkdir()
    content = {"machine": machine, "commit": day, "carries": {"journey": journey, "visits": visits, "broken": broken}}
    (place / "result.json").write_text(json.dumps(content))


def test_the_distance_is_that_to_the_last_capacity_of_this_machine(tmp_path: Path) -> None:
    mix = {"reader": 0.75, "asker": 0.25}
    assert last_capacity(tmp_path, mix, HERE) is None
    ramp(tmp_path, "20261120", "reader", 999)
    ramp(tmp_path, "20261124", "reader", 300)
    ramp(tmp_path, "20261125", "reader", 1000, "another machine")
    ramp(tmp_path, "20261126", "reader", 0)
    (tmp_path / "20261127-steady").mkdir()
    (tmp_path / "20261127-steady" / "result.json").write_text("{")
    assert last_capacity(tmp_path, mix, HERE) is None, "an asker was never measured"
    ramp(tmp_path, "20261124", "asker", 100)
    found = last_capacity(tmp_path, mix, HERE)
    # 0.75 / 300 + 0.25 / 100 seconds of the machine for a visit
    assert found is not None
    assert found.visits == pytest.approx(200)
    assert found.sentence(50) == (
        "25% of the 200 visits/s of this mix that were measured last on this machine (20261124, commit 20261124)"
    )
    ramp(tmp_path, "20261125", "reader and asker", 170)
    assert (found := last_capacity(tmp_path, mix, HERE)) is not None
    assert found.visits == 170
    ramp(tmp_path, "20261126", "reader and asker", 180, broken=())
    assert (found := last_capacity(tmp_path, mix, HERE)) is not None
    assert found.sentence(90).startswith("at most 50% of the 180 visits/s, or more, of this mix")


def test_a_report_names_its_load_and_where_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "machine", lambda: HERE)
    ramp(tmp_path, "20261124", "reader and asker", 170)
    ledger, measurements = Ledger(), measured(300)
    for _ in range(120):
        ledger.add("late", 0.0, 0)
    ledger.add("late", 0.0, -1)
    run = run_in(tmp_path)
    load = result.load_of(run, ledger, measurements, {"api": 0.5, "machine": 1.25}, "1.2.3")
    assert (load.visits_per_second, load.calls_per_second) == (2, 10)
    gates = [
        Gate("read_latency", "steady", "0 of 20", "1.00%", None),
        Gate("wrong answers", "whole run", "0", "0", True),
    ]
    text = result.table(measurements, gates, Servers({}), load)
    for words in (
        "load: 2 visits/s, 10 calls/s", "distance: 1% of the 170 visits/s", "api 0.50, machine 1.25", HERE, "commit: ",
        "release of the board: 1.2.3", "not judged", "1 of 2 gates had too few samples",
    ):  # fmt: skip
        assert words in text
    content: dict[str, Any] = json.loads(result.machine_readable(run, measurements, gates, Servers({}), None, load))
    assert (content["holds"], content["gates"][0]["holds"], content["machine"]) == (True, None, HERE)
    assert content["operations"]["read_home"] | {"faults": 0} == {
        "calls": 300, "faults": 0, "p50_ms": 5.0, "p95_ms": 5.0, "p99_ms": None, "max_ms": 5.0,
    }  # fmt: skip
    assert content["cores"] == {"api": 0.5, "machine": 1.25}


def test_the_commit_and_the_machine_are_those_of_the_run(tmp_path: Path) -> None:
    assert conditions.commit(tmp_path) == "unknown"
    assert len(conditions.commit(CHECKOUT).removesuffix(" with changes")) in (7, 12)
    assert " cores of " in conditions.machine()


def test_the_loader_and_its_machine_are_measured_for_a_board_elsewhere() -> None:
    processes = Processes(None)
    processes.samples = [(0.0, processes.seconds(None)), (2.0, processes.seconds(None))]
    assert processes.mean_cores(0.0).keys() == {LOADER, MACHINE}
    assert processes.saturated_first(0.0) == "unknown"


def test_no_purpose_names_a_duration_that_an_option_can_change() -> None:
    for profile in profiles.PROFILES.values():
        assert not any(word in profile.purpose for word in ("minute", "hour", "second")), profile.purpose

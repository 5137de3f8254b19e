"""Gates claim nothing of too few samples."""

import pytest

from loadtests import profiles
from loadtests.gates import judge, judged
from loadtests.ledger import Ledger
from loadtests.measurements import FRESHNESS, Measurements
from loadtests.verification import Findings


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
    findings.checked["posts that exist twice"] = 3
    found = verdicts(measured(20), findings)
    assert found["posts that exist twice"] == found["wrong answers"] == "holds"
    assert found["events twice in inboxes"] == "not judged"
    findings.add("events twice in inboxes", 7)
    assert verdicts(measured(20), findings)["events twice in inboxes"] == "BROKEN"

"""The gates of a run: the objectives, by segment, and the violations that must never happen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from loadtests.ledger import Ledger
from loadtests.measurements import FRESHNESS, Latencies, Measurements
from loadtests.objectives import Objective, objectives
from loadtests.profiles.profile import Profile
from loadtests.verification import Findings

READ: Final = re.compile(r"(read|list|search|show)_.+")
# Under this many events, one bad event breaks the objective's budget; it takes two then.
LEAST_BAD: Final = 2
WHOLE_RUN: Final = "whole run"


@dataclass(frozen=True)
class Gate:
    """One judgement: `figure` compared with `bound`; `where` names the segment."""

    name: str
    where: str
    figure: str
    bound: str
    holds: bool


def judge(measurements: Measurements, profile: Profile, ledger: Ledger, findings: Findings) -> list[Gate]:
    """Return all gates of a run."""
    gates = [
        gate
        for number, segment in enumerate(profile.segments)
        if segment.judged and (operations := measurements.operations(number))
        for gate in objective_gates(operations, segment.name)
    ]
    gates.append(count_gate("wrong answers", len(ledger["wrong"])))
    if ledger["spam"]:
        gates.append(count_gate("posts of a wave that came too late", late_spam(ledger, profile)))
    gates += [count_gate(name, len(found)) for name, found in findings.violations.items()]
    return gates


def late_spam(ledger: Ledger, profile: Profile) -> int:
    """Return how many posts of a wave came after the segment that began with the operator's command."""
    (operator,) = (number for number, segment in enumerate(profile.segments) if segment.commands)
    return sum(segment > operator for _, segment in ledger["spam"])


def objective_gates(operations: dict[str, Latencies], where: str) -> Iterator[Gate]:
    """Yield the gates of the objectives that the client can see, for one segment."""
    known = objectives()
    calls = {name: part for name, part in operations.items() if name != FRESHNESS}
    yield share_gate(known["availability"], where, sum(part.errors() for part in calls.values()), total(calls))
    for name, reading in (("read_latency", True), ("write_latency", False)):
        chosen = {key: part for key, part in calls.items() if bool(READ.fullmatch(key)) is reading}
        yield slow_gate(known[name], where, chosen)
    if FRESHNESS in operations:
        yield slow_gate(known[FRESHNESS], where, {FRESHNESS: operations[FRESHNESS]})


def total(operations: dict[str, Latencies]) -> int:
    return sum(part.calls for part in operations.values())


def slow_gate(objective: Objective, where: str, operations: dict[str, Latencies]) -> Gate:
    assert objective.seconds is not None
    slow = sum(part.slower(objective.seconds) for part in operations.values())
    return share_gate(objective, where, slow, total(operations))


def share_gate(objective: Objective, where: str, bad: int, events: int) -> Gate:
    """Judge a share of bad events. A single bad event in a short run does not prove that the budget is exceeded."""
    holds = bad < LEAST_BAD or bad <= objective.budget * events
    bound = f"{objective.budget:.2%}" + (f" over {objective.seconds:g} s" if objective.seconds else "")
    return Gate(objective.name, where, f"{bad} of {events} ({bad / max(events, 1):.2%})", bound, holds)


def count_gate(name: str, count: int) -> Gate:
    return Gate(name, WHOLE_RUN, str(count), "0", count == 0)


def broken_segment(measurements: Measurements, profile: Profile, number: int) -> bool:
    """Return whether a segment that has ended breaks an objective."""
    if number < 0 or not profile.segments[number].judged:
        return False
    operations = measurements.operations(number)
    return bool(operations) and not all(gate.holds for gate in objective_gates(operations, ""))

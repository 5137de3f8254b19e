"""The gates of a run: the objectives, by segment, and the violations that must never happen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from loadtests.ledger import Ledger
from loadtests.measurements import FRESHNESS, Latencies, Measurements
from loadtests.objectives import AVAILABILITY, INBOX_FRESHNESS, READ_LATENCY, WRITE_LATENCY, Objective
from loadtests.profiles import Profile
from loadtests.verification import Findings

READ: Final = re.compile(r"(read|list|search|show)_.+")
# Two bad events break an objective. It holds only if two would have been within its budget.
LEAST_BAD: Final = 2
WHOLE_RUN: Final = "whole run"


@dataclass(frozen=True)
class Gate:
    """One judgement: `figure` compared with `bound`; `where` names the segment.

    `holds` is None if it is not judged: nothing is broken, and too few samples were taken to show that it holds.
    """

    name: str
    where: str
    figure: str
    bound: str
    holds: bool | None

    @property
    def is_broken(self) -> bool:
        return self.holds is False

    @property
    def verdict(self) -> str:
        """The judgement in words."""
        return "not judged" if self.holds is None else "holds" if self.holds else "BROKEN"


def judge(measurements: Measurements, profile: Profile, ledger: Ledger, findings: Findings) -> list[Gate]:
    """Return all gates of a run."""
    gates = [
        gate
        for number, segment in enumerate(profile.segments)
        if (operations := measurements.operations(number))
        for gate in objective_gates(operations, segment.name)
    ]
    gates.append(count_gate("wrong answers", len(ledger["wrong"]), measurements.sent()))
    gates += [count_gate(name, len(found), findings.checked[name]) for name, found in findings.violations.items()]
    return gates


def objective_gates(operations: dict[str, Latencies], where: str) -> Iterator[Gate]:
    """Yield the gates of the objectives that the client can see, for one segment."""
    calls = {name: part for name, part in operations.items() if name != FRESHNESS}
    yield share_gate(AVAILABILITY, where, sum(part.errors() for part in calls.values()), total(calls))
    for objective, reading in ((READ_LATENCY, True), (WRITE_LATENCY, False)):
        chosen = {key: part for key, part in calls.items() if bool(READ.fullmatch(key)) is reading}
        yield slow_gate(objective, where, chosen)
    if FRESHNESS in operations:
        yield slow_gate(INBOX_FRESHNESS, where, {FRESHNESS: operations[FRESHNESS]})


def total(operations: dict[str, Latencies]) -> int:
    return sum(part.calls for part in operations.values())


def slow_gate(objective: Objective, where: str, operations: dict[str, Latencies]) -> Gate:
    assert objective.seconds is not None
    slow = sum(part.slower(objective.seconds) for part in operations.values())
    return share_gate(objective, where, slow, total(operations))


def share_gate(objective: Objective, where: str, bad: int, events: int) -> Gate:
    """Judge a share of bad events."""
    bound = f"{objective.budget:.2%}" + (f" over {objective.seconds:g} s" if objective.seconds else "")
    return Gate(
        objective.name,
        where,
        f"{bad} of {events} ({bad / max(events, 1):.2%})",
        bound,
        judged(bad, events, objective.budget),
    )


def judged(bad: int, events: int, budget: float) -> bool | None:
    """Return whether at most this share of the events is bad; None if there are too few events to show that.

    A single bad event in a short run does not prove that the budget is exceeded. With few events, when two bad ones
    would exceed it, their absence proves nothing either.
    """
    if bad >= LEAST_BAD and bad > budget * events:
        return False
    return True if budget * events >= LEAST_BAD else None


def count_gate(name: str, count: int, checked: int) -> Gate:
    """Judge violations that must never happen, among `checked` things that were compared."""
    return Gate(name, WHOLE_RUN, f"{count} of {checked}", "0", None if checked == count == 0 else count == 0)

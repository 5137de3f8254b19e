"""The board's objectives, read from the rules that the alerts use (deploy/observability/prometheus/rules/slo.yaml)."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

RULES = Path(__file__).parents[1] / "deploy/observability/prometheus/rules/slo.yaml"
BOUND = re.compile(r'le="([0-9.]+)"|> bool ([0-9.]+)')
VECTOR = re.compile(r"vector\(([0-9.]+)\)")


@dataclass(frozen=True)
class Objective:
    """At most `budget` of the events may be bad. `seconds` is the bound of a latency or an age, or None."""

    name: str
    budget: float
    seconds: float | None


@cache
def objectives() -> dict[str, Objective]:
    """Return the objectives by name."""
    rules: list[Any] = yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    budgets = {rule["labels"]["slo"]: first(VECTOR, rule["expr"]) for rule in rules if rule["record"] == "slo:budget"}
    errors = {rule["labels"]["slo"]: rule["expr"] for rule in rules if rule["record"] == "slo:errors:rate1m"}
    return {name: Objective(name, budget, first(BOUND, errors[name])) for name, budget in budgets.items()}  # type: ignore[arg-type]


def first(pattern: re.Pattern[str], expression: str) -> float | None:
    match = pattern.search(expression)
    return None if match is None else float(next(group for group in match.groups() if group))

"""A table of ratios: each measurement in every round, with its target if it has one."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """One ratio, measured in every round. The target is a minimum, or with `at_most` a maximum.

    The median must meet it, or with `every` each round.
    """

    name: str
    target: float | None = None
    at_most: bool = False
    every: bool = False
    ratios: list[float] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Return whether the target is met, in one word."""
        if self.target is None:
            return ""
        judged = self.ratios if self.every else [median(self.ratios)]
        met = (max(judged) <= self.target) if self.at_most else (min(judged) >= self.target)
        return "met" if met else "MISSED"


class Report:
    """Collects rows by name over all rounds."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(
        self, name: str, ratio: float, target: float | None = None, at_most: bool = False, every: bool = False
    ) -> None:
        """Add the ratio of one round."""
        self.rows.setdefault(name, Row(name, target, at_most, every)).ratios.append(ratio)
        print(f"    {name}: {ratio:.2f}", flush=True)

    def print(self) -> None:
        """Print the table: the median over all rounds, and the value of each round."""
        width = max((len(name) for name in self.rows), default=0)
        print(f"\n{'':{width}}  median  target          rounds")
        for row in self.rows.values():
            sign = "<=" if row.at_most else ">="
            scope = " each" if row.every else ""
            target = "" if row.target is None else f"{sign} {row.target:<5} {row.verdict}{scope}"
            rounds = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
            print(f"{row.name:{width}}  {median(row.ratios):6.2f}  {target:15} {rounds}")

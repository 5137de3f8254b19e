"""A table of ratios: each measurement in every round, with its target. A ratio without a target is a reference."""

from dataclasses import dataclass, field
from statistics import median

from benchmarks.targets import Target


@dataclass
class Row:
    """One ratio, measured in every round. The median must meet the target."""

    name: str
    target: Target | None = None
    ratios: list[float] = field(default_factory=list)

    @property
    def is_missed(self) -> bool:
        """Return whether there is a target that the ratios do not meet."""
        if self.target is None:
            return False
        reached, (value, at_most) = median(self.ratios), self.target
        return reached > value if at_most else reached < value

    @property
    def judgement(self) -> str:
        """Return the target and whether it is met; without a target, the ratio is a reference."""
        if self.target is None:
            return "reference"
        sign, verdict = "<=" if self.target.at_most else ">=", "MISSED" if self.is_missed else "met"
        return f"{sign} {self.target.value:<5} {verdict}"


class Report:
    """Collects rows by name over all rounds."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, name: str, ratio: float, target: Target | None = None) -> None:
        """Add the ratio of one round."""
        self.rows.setdefault(name, Row(name, target)).ratios.append(ratio)
        print(f"    {name}: {ratio:.2f}", flush=True)

    def print(self) -> None:
        """Print the table: the median over all rounds, and the value of each round."""
        width = max((len(name) for name in self.rows), default=0)
        print(f"\n{'':{width}}  median  target               rounds")
        for row in self.rows.values():
            rounds = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
            print(f"{row.name:{width}}  {median(row.ratios):6.2f}  {row.judgement:20} {rounds}")
        if missed := self.missed():
            print(f"\n{len(missed)} of {len(self.rows)} ratios miss their target:", *missed, sep="\n  ")

    def missed(self) -> list[str]:
        """Return the names of the ratios that miss their target."""
        return [name for name, row in self.rows.items() if row.is_missed]

"""A table of ratios: each measurement in every round, with its target."""

from dataclasses import dataclass, field
from statistics import median


@dataclass
class Row:
    """One ratio, measured in every round. The median must be at most the target."""

    name: str
    target: float
    ratios: list[float] = field(default_factory=list)

    @property
    def is_missed(self) -> bool:
        """Return whether the ratios do not meet the target."""
        return median(self.ratios) > self.target


class Report:
    """Collects rows by name over all rounds."""

    def __init__(self) -> None:
        self.rows: dict[str, Row] = {}

    def add(self, name: str, ratio: float, target: float) -> None:
        """Add the ratio of one round."""
        self.rows.setdefault(name, Row(name, target)).ratios.append(ratio)
        print(f"    {name}: {ratio:.2f}", flush=True)

    def print(self) -> None:
        """Print the table: the median over all rounds, and the value of each round."""
        width = max((len(name) for name in self.rows), default=0)
        print(f"\n{'':{width}}  median  target          rounds")
        for row in self.rows.values():
            rounds = " ".join(f"{ratio:.2f}" for ratio in row.ratios)
            judgement = f"<= {row.target:<5} {'MISSED' if row.is_missed else 'met'}"
            print(f"{row.name:{width}}  {median(row.ratios):6.2f}  {judgement:15} {rounds}")
        if missed := self.missed():
            print(f"\n{len(missed)} of {len(self.rows)} ratios miss their target:", *missed, sep="\n  ")

    def missed(self) -> list[str]:
        """Return the names of the ratios that miss their target."""
        return [name for name, row in self.rows.items() if row.is_missed]

"""The kinds of metric: plain integers on the hot path, turned into Prometheus families only when somebody scrapes.

A label value must come from a short, closed list of ours, never from a client.
"""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Bounds of every distribution of times, in seconds."""

LabelValue = str | int
Labels = tuple[LabelValue, ...]


class Instrument(Protocol):
    """Anything that can be registered: a name and a way to become a Prometheus family."""

    name: str

    def family(self) -> Metric: ...


class Count:
    """A number that only rises, per combination of label values; its name ends with _total."""

    def __init__(self, name: str, says: str, labels: Sequence[str] = ()) -> None:
        self.name = name
        self._says = says
        self._labels = tuple(labels)
        self.values: dict[Labels, int] = {} if labels else {(): 0}

    def add(self, *labels: LabelValue, amount: int = 1) -> None:
        """Raise the number of these label values, one for each declared label, by `amount` >= 0."""
        try:
            self.values[labels] += amount
        except KeyError:
            _check_labels(self.name, self._labels, labels)
            self.values[labels] = amount

    def family(self) -> Metric:
        family = CounterMetricFamily(self.name, self._says, labels=self._labels)
        for labels, value in list(self.values.items()):
            family.add_metric(tuple(map(str, labels)), value)
        return family


class Buckets:
    """How many values fell under each bound, and their sum: one line of a distribution."""

    __slots__ = ("bounds", "counts", "total")

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = tuple(bounds)
        self.counts = [0] * (len(self.bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def cumulative(self) -> list[tuple[str, float]]:
        """Return (upper bound, how many values up to it) as Prometheus wants them, ending with +Inf."""
        names = [*map(str, self.bounds), "+Inf"]
        rising, so_far = [], 0
        for name, count in zip(names, self.counts, strict=True):
            so_far += count
            rising.append((name, float(so_far)))
        return rising


class Distribution:
    """A histogram with fixed bounds, rising, in the unit that its name ends with."""

    def __init__(self, name: str, says: str, bounds: Sequence[float] = SECONDS, labels: Sequence[str] = ()) -> None:
        if not bounds or list(bounds) != sorted(set(bounds)):
            raise ValueError(f"The bounds of {name} do not rise.")
        self.name = name
        self._says = says
        self._labels = tuple(labels)
        self._bounds = tuple(map(float, bounds))
        self._lines: dict[Labels, Buckets] = {} if labels else {(): Buckets(self._bounds)}

    def observe(self, value: float, *labels: LabelValue) -> None:
        """Note one value, under its label values when the distribution has labels."""
        self.line(*labels).observe(value)

    def line(self, *labels: LabelValue) -> Buckets:
        """Return the buckets of these label values, to be kept by a caller in a hurry."""
        try:
            return self._lines[labels]
        except KeyError:
            _check_labels(self.name, self._labels, labels)
            return self._lines.setdefault(labels, Buckets(self._bounds))

    def family(self) -> Metric:
        family = HistogramMetricFamily(self.name, self._says, labels=self._labels)
        for labels, line in list(self._lines.items()):
            family.add_metric(tuple(map(str, labels)), line.cumulative(), sum_value=line.total)
        return family


Read = Callable[[], float | Mapping[str, float]]


class Reading:
    """A value that is looked up at the scrape; with `label`, one value per label value.

    It is a gauge, unless its name ends with _total: then it must only rise.
    """

    def __init__(self, name: str, says: str, read: Read, label: str | None = None) -> None:
        self.name = name
        self._says = says
        self._read = read
        self._label = label

    def family(self) -> Metric:
        kind = CounterMetricFamily if self.name.endswith("_total") else GaugeMetricFamily
        family: CounterMetricFamily | GaugeMetricFamily
        family = kind(self.name, self._says, labels=(self._label,) if self._label else ())
        found = self._read()
        lines = {(key,): value for key, value in found.items()} if isinstance(found, Mapping) else {(): found}
        for labels, value in lines.items():
            family.add_metric(labels, value)
        return family


class Facts:
    """A line that is always 1 and carries fixed facts as labels; its name ends with _info."""

    def __init__(self, name: str, says: str, facts: Mapping[str, str]) -> None:
        self.name = name
        self._says = says
        self._facts = dict(facts)

    def family(self) -> Metric:
        family = GaugeMetricFamily(self.name, self._says, labels=tuple(self._facts))
        family.add_metric(tuple(self._facts.values()), 1)
        return family


def _check_labels(name: str, declared: tuple[str, ...], given: Labels) -> None:
    if len(declared) != len(given):
        raise ValueError(f"{name} has {len(declared)} labels, not {len(given)}.")
